/** Where a recharge's payer sees it: paths below PUBLIC_URL, open to whoever has the unguessable id. */
export const chargePaths = {
  pixQrcode: (id: string) => `/pix/${id}.png`,
  boleto: (id: string) => `/boletos/${id}`,
  boletoPdf: (id: string) => `/boletos/${id}.pdf`,
};

/** The same as links. `publicUrl` has no slash at its end. */
export function chargeLinks(
  id: string,
  publicUrl: string,
): { pixQrcode: string; boleto: string; boletoPdf: string } {
  return {
    pixQrcode: publicUrl + chargePaths.pixQrcode(id),
    boleto: publicUrl + chargePaths.boleto(id),
    boletoPdf: publicUrl + chargePaths.boletoPdf(id),
  };
}
