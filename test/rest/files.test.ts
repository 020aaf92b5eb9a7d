import validator from 'boleto-brasileiro-validator';
import { hasError, isStaticPix, parsePix } from 'pix-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { pdfTexts } from '../harness/pdfContent.ts';
import { overlaps, placedTexts } from '../harness/placedTexts.ts';
import { readQrCode } from '../harness/qrCode.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { lineLengths } from './pixelLetters.ts';

const address = {
  street: 'Rua Sol & Mar',
  number: 'S/N',
  district: 'Centro',
  city: 'Recife',
  state: 'PE',
  postalCode: '50010-000',
};

async function fetchFile(url: string) {
  const response = await fetch(url);
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

describeEngines('the links of a recharge', (engine) => {
  let server: TestServer;
  let team: TeamKeys;
  beforeAll(async () => {
    server = await startTestServer(engine);
    team = await server.createTeam({ name: 'Viagens & <Sol> Ltda', taxId: '12.ABC.345/01DE-35', address });
  });
  afterAll(() => server?.close());

  const request = async (payment_method: string, amount = '1234.56', key = team.live): Promise<Json> => {
    const body = { amount, currency: 'BRL', payment_method };
    const created = await server.rest('POST', '/api/v1/wallet/recharge', { key, body });
    expect(created.status).toBe(201);
    return created.body.data;
  };

  describe('by PIX', () => {
    it.each(['100.00', '1234.56', '50000.00'])(
      'of %s serve the QR image of the copy-and-paste code, which a bank app understands',
      async (amount) => {
        const { payment } = await request('pix', amount, (await server.createTeam()).live);
        const { status, headers, bytes } = await fetchFile(payment.pix_qrcode_url);
        expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
        expect(readQrCode(bytes)).toBe(payment.pix_copy_paste);
        const pix = parsePix(payment.pix_copy_paste);
        if (hasError(pix) || !isStaticPix(pix)) throw new Error(`no BR Code: ${payment.pix_copy_paste}`);
        expect(pix.transactionAmount).toBe(Number(amount));
        expect(pix.merchantName).toBe('Embarque Viagens Ltda');
      },
    );

    it('have no code any more that a bank app understands once the recharge has ended, and an image that tells how', async () => {
      const key = team.test;
      for (const [end, ...lines] of [
        ['pay', 'PIX', 'PAGO'],
        ['expire', 'PIX', 'VENCIDO', 'NÃO PAGUE'],
        ['fail', 'PIX', 'RECUSADO', 'NÃO PAGUE'],
        ['cancel', 'PIX', 'CANCELADO', 'NÃO PAGUE'],
      ]) {
        const { id, payment } = await request('pix', '100.00', key);
        if (end === 'cancel')
          await server.graphql(`mutation { cancelRecharge(id: "${id}") { status } }`, {}, key);
        else await server.rest('POST', `/api/v1/test_helpers/recharges/${id}/${end}`, { key });
        const { status, headers, bytes } = await fetchFile(payment.pix_qrcode_url);
        expect([end, status, headers.get('content-type')]).toEqual([end, 200, 'image/png']);
        expect(readQrCode(bytes)).toBeNull();
        expect([end, lineLengths(bytes)]).toEqual([end, lines.map((line) => line.length)]);
      }
    });

    it('are those of one recharge: each code names its own', async () => {
      const [one, other] = [await request('pix'), await request('pix')];
      expect(one.payment.pix_copy_paste).not.toBe(other.payment.pix_copy_paste);
      expect(one.payment.pix_qrcode_url).not.toBe(other.payment.pix_qrcode_url);
    });

    it('in test mode say to the payer that they are worth nothing', async () => {
      const { payment } = await request('pix', '100.00', team.test);
      expect(payment.pix_copy_paste).toContain('TESTE SEM VALOR');
      expect((await fetchFile(payment.pix_qrcode_url)).status).toBe(200);
    });
  });

  describe('by boleto', () => {
    it('carry a bar code that an independent validator accepts, for its amount and day', async () => {
      const { payment } = await request('boleto');
      const barcode = payment.boleto_barcode;
      expect(validator.boletoBancarioCodigoBarras(barcode)).toBe(true);
      expect(barcode.slice(9, 19)).toBe('0000123456');
      const due = new Date(Date.parse(payment.expires_at) - 3 * 3_600_000);
      const days = Math.floor((due.getTime() - Date.UTC(1997, 9, 7)) / 86_400_000);
      // FEBRABAN: the factor began again with 1000 on 2025-02-22.
      expect(Number(barcode.slice(5, 9))).toBe(((days - 10_000) % 9_000) + 1_000);
    });

    it('show a company whole, whose name and address are as long as they may be', async () => {
      const name =
        'COMPANHIA BRASILEIRA DE VIAGENS E TURISMO NOSSA SENHORA DA CONCEIÇÃO APARECIDA IRMÃOS GUIMARÃES E GONÇALVES LTDA';
      const long = {
        street:
          'AVENIDA GOVERNADOR PROFESSOR DOUTOR MAGALHÃES DE ALBUQUERQUE CAVALCANTI GUIMARÃES DE ASSUNÇÃO',
        number: '1234567890',
        complement: 'CONJ. 1234, BLOCO ABCD, TORRE',
        district: 'JARDIM NOSSA SENHORA APARECIDA DAS GRAÇAS DE CONCEIÇÃO',
        city: 'VILA BELA DA SANTÍSSIMA TRINDADE DO NORTE',
        state: 'MT',
        postalCode: '78245-000',
      };
      const { live } = await server.createTeam({ name, taxId: '12.ABC.345/01DE-35', address: long });
      const { payment } = await request('boleto', '50000.00', live);
      const pdf = (await fetchFile(payment.boleto_pdf_url)).bytes;
      const words = pdfTexts(pdf).join(' ').replace(/\s+/g, ' ');
      const street = [long.street, long.number, long.complement].join(', ');
      const where = `${street} — ${long.district} — ${long.city}/MT — CEP 78245-000`;
      expect(words).toContain(`Pagador ${name} CNPJ 12.ABC.345/01DE-35`);
      expect(words).toContain(`Pagador ${name} — CNPJ 12.ABC.345/01DE-35 ${where} Sacador / Avalista:`);
      const texts = placedTexts(pdf);
      expect(overlaps(texts)).toEqual([]);
      expect(texts.filter(({ left, right }) => left < 42 || right > 553)).toEqual([]);
      const page = (await fetchFile(payment.boleto_url)).bytes.toString();
      expect(page).toContain(`<div>${name} — CNPJ 12.ABC.345/01DE-35</div><div>${where}</div>`);
    });

    it('show the tax id from left to right, whatever direction a name before it asks for', async () => {
      const name = '\u202eViagens \u2067Sol';
      const { live } = await server.createTeam({ name, taxId: '12.ABC.345/01DE-35', address });
      const { payment } = await request('boleto', '100.00', live);
      const shown = 'Viagens Sol — CNPJ 12.ABC.345/01DE-35';
      expect((await fetchFile(payment.boleto_url)).bytes.toString()).toContain(`<div>${shown}</div>`);
      expect(pdfTexts((await fetchFile(payment.boleto_pdf_url)).bytes).join(' ')).toContain(shown);
    });

    it('serve a page that shows the boleto, and lets nothing of the team’s name run in it', async () => {
      const { payment } = await request('boleto');
      const { status, headers, bytes } = await fetchFile(payment.boleto_url);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = bytes.toString();
      expect(page).toContain('1.234,56');
      expect(page).toContain(payment.boleto_pdf_url);
      expect(page).toContain('Viagens &amp; &lt;Sol&gt; Ltda');
      expect(page).not.toContain('<Sol>');
      expect(page).toContain('CNPJ 12.ABC.345/01DE-35');
      expect(page).toContain('Rua Sol &amp; Mar, S/N — Centro — Recife/PE — CEP 50010-000');
      const line = /\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}/.exec(page)?.[0] ?? '';
      expect(validator.boletoBancarioLinhaDigitavel(line.replace(/\D/g, ''), true)).toBe(true);
    });

    it('show letters that the fonts of a PDF lack as plain ones there, and nothing for marks that nobody sees', async () => {
      const { live } = await server.createTeam({ name: 'Łukasz \u200bĐặng\u200e Turizm Iğdır' });
      const { payment } = await request('boleto', '100.00', live);
      expect(pdfTexts((await fetchFile(payment.boleto_pdf_url)).bytes)).toContain('Lukasz Dang Turizm Igdir');
    });

    it('offer to copy the line only where scripts run', async () => {
      const { payment } = await request('boleto', '100.00', team.test);
      const page = (await fetchFile(payment.boleto_url)).bytes.toString();
      expect(page).toMatch(/<button id="copy"[^>]* hidden[ >]/);
      expect(page).toContain("removeAttribute('hidden')");
    });

    it('show of a person who pays neither the whole CPF nor the address', async () => {
      const { live } = await server.createTeam({ taxId: '529.982.247-25', address });
      const { payment } = await request('boleto', '100.00', live);
      const page = (await fetchFile(payment.boleto_url)).bytes.toString();
      expect(page).toContain('CPF ***.982.247-**');
      expect(page.replace(/\D/g, '')).not.toContain('52998224725');
      expect(page).not.toContain('Recife');
    });

    it('serve a PDF of it', async () => {
      const { payment, id } = await request('boleto');
      const { status, headers, bytes } = await fetchFile(payment.boleto_pdf_url);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect(headers.get('content-disposition')).toBe(`inline; filename="boleto-${id}.pdf"`);
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect(bytes.subarray(-6).toString().trim()).toBe('%%EOF');
    });

    it('show at the GraphQL door the line that is typed, of the same bar code', async () => {
      const { id, payment } = await request('boleto');
      const query = `query ($id: String!) {
        recharge(id: $id) { payment { ... on BoletoPayment { boletoBarcode digitableLine boletoUrl boletoPdfUrl } } }
      }`;
      const { body } = await server.graphql(query, { id }, team.live);
      const { digitableLine, ...rest } = body.data.recharge.payment;
      expect(rest).toEqual({
        boletoBarcode: payment.boleto_barcode,
        boletoUrl: payment.boleto_url,
        boletoPdfUrl: payment.boleto_pdf_url,
      });
      const line = digitableLine.replace(/\D/g, '');
      expect(validator.boletoBancarioLinhaDigitavel(line, true)).toBe(true);
      const barcode = payment.boleto_barcode;
      expect(line.slice(-14)).toBe(barcode.slice(5, 19));
    });
  });

  it('need no key and no cookie, and are kept by no shared cache', async () => {
    const [pix, boleto] = [await request('pix'), await request('boleto')];
    for (const url of [
      pix.payment.pix_qrcode_url,
      boleto.payment.boleto_url,
      boleto.payment.boleto_pdf_url,
    ]) {
      const { headers } = await fetchFile(url);
      expect(headers.get('cache-control')).toContain('private');
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('x-request-id')).toBeTruthy();
    }
  });

  it('go on being served after the recharge has ended', async () => {
    const { id, payment } = await request('boleto', '100.00', team.test);
    await server.rest('POST', `/api/v1/test_helpers/recharges/${id}/pay`, { key: team.test });
    expect((await fetchFile(payment.boleto_url)).status).toBe(200);
    expect((await fetchFile(payment.boleto_pdf_url)).status).toBe(200);
  });

  it('of a boleto are 404 where another provider made it, whose bank nobody here knows', async () => {
    const [{ id, payment }, { payment: ownPayment }] = [await request('boleto'), await request('boleto')];
    await server.query(`UPDATE recharges SET provider = 'former' WHERE id = $1`, [id]);
    for (const url of [payment.boleto_url, payment.boleto_pdf_url]) {
      const { status, bytes } = await fetchFile(url);
      expect([status, JSON.parse(bytes.toString()).error.message]).toEqual([404, 'Boleto not found']);
    }
    expect((await fetchFile(ownPayment.boleto_url)).status).toBe(200);
  });

  it('of a charge that another provider made are not paid at the simulated bank', async () => {
    const { id } = await request('pix');
    await server.query(`UPDATE recharges SET provider = 'former' WHERE id = $1`, [id]);
    const pay = () => server.rest('POST', `/simulator/recharges/${id}/pay`, { key: team.live });
    expect(await pay()).toMatchObject({ status: 404, body: { error: { message: 'Recharge not found' } } });
    const read = await server.rest('GET', `/api/v1/wallet/recharge/${id}`, { key: team.live });
    expect(read.body.data.status).toBe('pending');
    await server.query(`UPDATE recharges SET provider = 'simulated' WHERE id = $1`, [id]);
    expect((await pay()).status).toBe(200);
  });
});
