/**
 * The outside world of payments: what every payment provider is to the rest of the product. A provider makes charges
 * and, when it calls back, says what became of them; it knows nothing of wallets, teams' keys or the database.
 */

/** What differs between them is said in the domain's `paymentMethods.ts`; a third one does not compile before it is. */
export const paymentMethods = ['pix', 'boleto'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** Where the payer is, in the parts in which banks register it. */
export interface PostalAddress {
  /** "Logradouro", without the number. */
  street: string;
  /** S/N where there is none. */
  number: string;
  complement: string | null;
  /** "Bairro". */
  district: string;
  city: string;
  /** "UF", two capital letters. */
  state: string;
  /** "CEP", eight digits. */
  postalCode: string;
}

/** The agency that pays a charge, as a bank registers it. Null is what nobody has told us. */
export interface Payer {
  name: string;
  /** CPF, 11 digits, or CNPJ, 14 digits and capital letters; the check digits are sound. Never to be logged. */
  taxId: string | null;
  address: PostalAddress | null;
}

export interface ChargeRequest {
  /** Also the provider's idempotency key: asking again for the same recharge must not make a second charge. */
  rechargeId: string;
  /** In test mode no charge may ever be payable. */
  mode: 'live' | 'test';
  method: PaymentMethod;
  amountCents: bigint;
  payer: Payer;
  createdAt: Date;
  expiresAt: Date;
}

/** What the payer needs, and the provider itself; kept with the recharge, as nothing else is that it gives. */
export type ChargeArtefacts = {
  /** What the provider calls the charge, at most 8,000 characters: handed back to it with `cancelCharge`, shown to nobody. */
  chargeId?: string;
} & (
  | {
      method: 'pix';
      /** BR Code, "Pix copia e cola". */
      pixCopyPaste: string;
    }
  | {
      method: 'boleto';
      /** The 44 digits under the bars. */
      barcode: string;
      /** The 47 digits a payer types, unformatted. */
      digitableLine: string;
      /** "Nosso número" as printed, check digit included. */
      ourNumber: string;
    }
);

/** What may be wrong with a payer: `refused` is a tax id or an address that the provider does not take. */
export type PayerFault = 'tax_id_required' | 'address_required' | 'refused';

/** What `createCharge` rejects with when there is no charge, nor will be, before an operator has mended the payer. */
export class PayerRefused extends Error {
  readonly fault: PayerFault;

  /** @param options the provider's own error as `cause`, for the log. */
  constructor(fault: PayerFault, options?: ErrorOptions) {
    super(`payer: ${fault}`, options);
    this.fault = fault;
  }
}

/** A charge that was made or may have been, with what its provider may know it by. */
export interface MadeCharge extends Pick<ChargeRequest, 'rechargeId' | 'mode'> {
  /** What createCharge gave; null when its answer never came or nothing was made of it. */
  artefacts: ChargeArtefacts | null;
}

/** What a provider says about one charge. The same notification may come any number of times. */
export interface PaymentNotification {
  rechargeId: string;
  /**
   * `failed`: nothing was paid, nor will be. `returned`: what had been paid was taken back from us, in full or in part, as by
   * a MED return of a PIX or a chargeback; not what our operators gave back themselves.
   */
  outcome: 'paid' | 'failed' | 'returned';
  /** When the payer paid, or got it back, which may be long before the notification; null when the provider does not say. */
  paidAt: Date | null;
  /**
   * The provider's own name for the payment, such as the end-to-end id of a PIX, for its return, or for what failed: 1 to
   * 100 printable ASCII characters, the same whenever the same thing is told again, and never that of another charge.
   */
  providerReference: string;
  /** Centavos really paid, or taken back, null when the provider does not say. */
  amountCents: bigint | null;
}

/** A part of what a provider knows of its charges. */
export interface NotificationPage {
  notifications: PaymentNotification[];
  /** What to ask for the next page by, another for each page; null after the last one. */
  nextPage: string | null;
}

/** Who stands behind a provider's boletos: what is printed about the bank and the beneficiary. */
export interface BoletoIssuer {
  /** Three digits (COMPE). */
  bankCode: string;
  bankName: string;
  beneficiaryName: string;
  /** CNPJ, 14 characters without punctuation. */
  beneficiaryTaxId: string;
  beneficiaryAddress: string;
  /** "Agência/código do beneficiário" as printed. */
  agencyAndCode: string;
  /** "Carteira" as printed. */
  portfolio: string;
  paymentPlace: string;
  /** Lines of "Instruções", for the cashier. */
  instructions: readonly string[];
}

/** The headers of a callback, as Node gives them: names in lower case. */
export type CallbackHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface PaymentProvider {
  /** Stored with each charge, so that a recharge is always spoken of with the provider that made it. */
  readonly name: string;
  readonly methods: readonly PaymentMethod[];
  /** What its boletos say; absent when it makes none, or else the start stops. */
  readonly boletoIssuer?: BoletoIssuer;
  /**
   * Makes the charge that pays a recharge. Rejects when the provider cannot be reached or refuses: with `PayerRefused` when
   * the payer is the reason, which the agency is told. The signal says that nobody waits for the answer any more.
   */
  createCharge(request: ChargeRequest, options: { signal: AbortSignal }): Promise<ChargeArtefacts>;
  /**
   * Reads one HTTP callback of the provider. Authenticates it first, on the body's exact bytes (signatures do not
   * survive parsing); null means that it is not the provider's and must be answered 401. Whatever it throws is answered
   * 500. Absent when the provider never calls.
   * @param target what was called below the callbacks' own URL, query included: `/` for nothing. The central bank's Pix API
   *   appends `/pix` to the URL that was registered, and some providers sign what stands in the query.
   */
  readNotifications?(
    headers: CallbackHeaders,
    rawBody: Uint8Array,
    target: string,
  ): Promise<PaymentNotification[] | null>;
  /**
   * What the provider came to know of its charges since then, in the words of its callbacks, for those that were lost: asked
   * for every ten minutes. It may hold more, and what was told before. Who can ask only by the day of a payment goes back
   * as many days as a boleto's payment may take to be known. Absent when the provider cannot be asked.
   * @param page null for the first page, else the `nextPage` of the one before.
   */
  listNotifications?(
    since: Date,
    page: string | null,
    options: { signal: AbortSignal },
  ): Promise<NotificationPage>;
  /**
   * Makes a charge unpayable, after its recharge was cancelled, or when none was written for it: then a charge that cannot
   * be found by its `rechargeId` was never made, and that is success. Called again until it succeeds, also for a charge
   * that is unpayable already, such as one that was paid. Absent when the provider cannot.
   */
  cancelCharge?(charge: MadeCharge, options: { signal: AbortSignal }): Promise<void>;
}
