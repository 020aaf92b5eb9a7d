import { createHmac } from 'node:crypto';
import type {
  MadeCharge,
  NotificationPage,
  PaymentMethod,
  PaymentNotification,
  PaymentProvider,
} from '../../src/infrastructure/payments/provider.ts';
import { simulatedPaymentProvider } from '../../src/infrastructure/payments/simulated.ts';
import type { Json } from '../harness/client.ts';

const secret = 'shared between the bank and us';

export const signatureOf = (body: string) => createHmac('sha256', secret).update(body).digest('hex');

async function readBody(body: string): Promise<PaymentNotification[]> {
  return JSON.parse(body).map((one: Json) => {
    if (typeof one !== 'object') return one;
    const { paidAt = null, amountCents = null, ...told } = one;
    return {
      ...told,
      paidAt: paidAt === null ? null : new Date(paidAt),
      amountCents: amountCents === null ? null : BigInt(amountCents),
    };
  });
}

const listNothing = async (): Promise<NotificationPage> => ({ notifications: [], nextPage: null });

/** For tests that hold charges: none ends but by the bank's answer, however slow the machine is. */
export const patientWithBank = { PAYMENT_PROVIDER_TIMEOUT: '10m' };

/** A payment provider that calls back, as a bank does: signed JSON with one notification or several. */
export class Bank implements PaymentProvider {
  readonly name = 'bank';
  methods: PaymentMethod[] = ['pix', 'boleto'];
  readonly boletoIssuer = simulatedPaymentProvider().boletoIssuer;
  /** What it was asked to make unpayable. */
  readonly cancelled: MadeCharge[] = [];
  /** Where it called below its callbacks' URL. */
  readonly targets: string[] = [];
  /** What becomes of a request to cancel a charge. */
  cancels: (charge: MadeCharge) => Promise<void> = async () => undefined;
  /** How it reads what it is told, once it has seen the signature. */
  reads: (body: string) => Promise<PaymentNotification[]> = readBody;
  /** What it knows of its charges when it is asked. */
  lists: (since: Date, page: string | null) => Promise<NotificationPage> = listNothing;
  charges: PaymentProvider['createCharge'];
  readonly #simulated = simulatedPaymentProvider();

  constructor() {
    this.charges = this.#simulated.createCharge;
  }

  reset(): void {
    this.methods = ['pix', 'boleto'];
    this.cancelled.length = 0;
    this.targets.length = 0;
    this.cancels = async () => undefined;
    this.reads = readBody;
    this.lists = listNothing;
    this.charges = this.#simulated.createCharge;
  }

  /** Makes no charge until it is told to. @returns how often it was asked meanwhile, and what tells it. */
  holdCharges(): { asked(): number; tell(): void } {
    const { charges } = this;
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    let asked = 0;
    this.charges = async (...request) => {
      asked += 1;
      await told;
      return charges(...request);
    };
    return { asked: () => asked, tell };
  }

  createCharge(...asked: Parameters<PaymentProvider['createCharge']>) {
    return this.charges(...asked);
  }

  async readNotifications(headers: Readonly<Record<string, unknown>>, rawBody: Uint8Array, target: string) {
    const body = Buffer.from(rawBody).toString();
    if (headers['x-bank-signature'] !== signatureOf(body)) return null;
    this.targets.push(target);
    return this.reads(body);
  }

  listNotifications(since: Date, page: string | null) {
    return this.lists(since, page);
  }

  async cancelCharge(charge: MadeCharge): Promise<void> {
    this.cancelled.push(charge);
    await this.cancels(charge);
  }
}
