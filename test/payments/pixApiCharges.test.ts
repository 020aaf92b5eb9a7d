import { getPixPayloadInfo } from '@brazilian-utils/brazilian-utils';
import { expect, it } from 'vitest';
import { boletoOf, dataOf, expectRefusal, pixOf } from '../doors/door.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import { eventually } from '../harness/client.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { minuteMs } from '../harness/testClock.ts';
import { describePixApi, txidOf } from './pixApiStage.ts';

const providerUnavailable = {
  status: 500,
  code: 'INTERNAL_ERROR',
  message: 'Payment provider unavailable',
  details: { type: 'provider_unavailable' },
};

describePixApi('The charges of PAYMENT_PROVIDER=pix_api', (stage) => {
  const { bank, clock, logged } = stage;

  it('has the bank make a charge of the amount, which ends a little before its recharge', async () => {
    const { id, payment } = await stage.requested('1234.5');
    const [request, ...others] = bank.requests.filter(({ method }) => method === 'PUT');
    expect(others).toEqual([]);
    expect([request?.method, request?.path]).toEqual(['PUT', `/api/v2/cob/${txidOf(id)}?app-key=ours`]);
    expect(request?.body).toEqual({
      calendario: { expiracao: 30 * 60 - 10 },
      valor: { original: '1234.50' },
      chave: bank.pixKey,
      solicitacaoPagador: `Recarga ${id}`,
    });
    expect(payment.pix_copy_paste).toBe(`00020101021226BRCODE of ${txidOf(id)}`);
    expect(payment.expires_at).toBe(new Date(clock.now().getTime() + 30 * minuteMs).toISOString());
  });

  it('makes the charge of a cancelled recharge unpayable, and leaves one that was paid meanwhile', async () => {
    const [{ id, live }, paid] = [await stage.requested(), await stage.requested()];
    bank.pay(txidOf(paid.id));
    for (const one of [{ id, live }, paid]) dataOf(await cancel(stage, one.live, one.id));
    const left = 'SELECT id FROM recharges WHERE charge_to_cancel_at IS NOT NULL';
    await eventually(async () => (await stage.server.query(left)).length === 0);
    expect(bank.charges.get(txidOf(id))?.status).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
    expect(bank.charges.get(txidOf(paid.id))?.status).toBe('CONCLUIDA');
  });

  it('makes a charge unpayable whose making it heard nothing of', async () => {
    bank.fault = (_request, response, { status }) => status === 201 && Boolean(response.destroy());
    const { live } = await stage.server.createTeam();
    expectRefusal(await stage.door.createRecharge(live, pixOf('100.00')), providerUnavailable);
    const [charge] = bank.charges.values();
    expect(charge.status).toBe('ATIVA');
    clock.advance(2 * minuteMs);
    await eventually(() => charge.status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  });

  it('asks again for the end of a charge that the bank does not answer for', async () => {
    const { id, live } = await stage.requested();
    let asked = 0;
    bank.fault = ({ method }, response) => {
      if (method !== 'PATCH') return false;
      bank.charges.get(txidOf(id)).status = 'ATIVA';
      asked += 1;
      response.destroy();
      return true;
    };
    dataOf(await cancel(stage, live, id));
    await eventually(() => asked > 0);
    await sweptTwice(stage.server.url, 'charge-cancellation');
    bank.fault = null;
    expect(bank.charges.get(txidOf(id)).status).toBe('ATIVA');
    clock.advance(minuteMs);
    await eventually(() => bank.charges.get(txidOf(id)).status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  });

  it('asks no more for the end of a charge that was never made, or whose time is over', async () => {
    const [never, over] = [await stage.requested(), await stage.requested()];
    bank.charges.delete(txidOf(never.id));
    bank.fault = ({ method }, response, answer) => {
      if (method !== 'PATCH' || answer.status !== 200) return false;
      for (const charge of bank.charges.values()) charge.status = 'ATIVA';
      response.writeHead(400).end();
      return true;
    };
    for (const one of [never, over]) dataOf(await cancel(stage, one.live, one.id));
    const left = async () =>
      (await stage.server.query('SELECT id FROM recharges WHERE charge_to_cancel_at IS NOT NULL')).length;
    await eventually(async () => (await left()) === 1);
    clock.advance(30 * minuteMs);
    await eventually(async () => (await left()) === 0);
  });

  it('asks for a token when it has none, when its time is over, and when the bank takes it no more', async () => {
    await stage.requested();
    expect(bank.tokenRequests.length).toBeLessThanOrEqual(1);
    bank.tokenRequests.length = 0;
    await stage.requested();
    expect(bank.tokenRequests).toEqual([]);
    bank.revokeTokens();
    await Promise.all([stage.requested(), stage.requested()]);
    expect(bank.tokenRequests.length).toBeGreaterThan(0);
    expect(bank.tokenRequests[0]?.body).toEqual({
      grant_type: 'client_credentials',
      scope: 'cob.read cob.write pix.read',
    });
    bank.tokenRequests.length = 0;
    clock.advance(53 * minuteMs);
    await stage.requested();
    expect(bank.tokenRequests).toEqual([]);
    clock.advance(minuteMs);
    await stage.requested();
    expect(bank.tokenRequests).toHaveLength(1);
  });

  it('loses no request to a connection that the bank closes as it is taken', async () => {
    await stage.requested();
    let closed = 0;
    bank.fault = ({ method }, response) => {
      if (method !== 'PUT' || closed > 0) return false;
      closed += 1;
      bank.charges.clear();
      response.destroy();
      return true;
    };
    await stage.requested();
    expect(closed).toBe(1);
  });

  it('shows test keys a code that nobody can pay, and the bank nothing', async () => {
    const { test: key } = await stage.server.createTeam();
    const { id, payment } = dataOf(await stage.door.createRecharge(key, pixOf('100.00')));
    expect(payment.pix_copy_paste).toContain('TESTE SEM VALOR');
    dataOf(await stage.door.payTest(key, id));
    expect((await stage.read(key, id)).status).toBe('completed');
    dataOf(await stage.door.createRecharge(key, pixOf('100.00')));
    expect(bank.requests).toEqual([]);
  });

  it('knows its charges at a bank that writes their names in capitals', async () => {
    const { id, live } = await stage.requested();
    const txid = txidOf(id).toUpperCase();
    bank.shows = (charge) => ({ ...charge, txid: charge.txid.toUpperCase() });
    await stage.tell(bank.pay(txid, { valor: '320.00' }));
    expect((await stage.read(live, id)).status).toBe('completed');
    await stage.requested();
  });

  it('offers no boletos, and lets nobody pay at /simulator', async () => {
    const { live, id } = await stage.requested();
    expectRefusal(await stage.door.createRecharge(live, boletoOf('100.00')), {
      status: 422,
      code: 'VALIDATION_ERROR',
      message: 'Payment method not available',
      details: { field: 'payment_method', type: 'not_available' },
    });
    const answer = await stage.server.rest('POST', `/simulator/recharges/${id}/pay`, { key: live });
    expect(answer.status).toBe(404);
  });

  it.each<[string, (charge: Record<string, unknown>) => Record<string, unknown>, RegExp]>([
    ['another amount', (charge) => ({ ...charge, valor: { original: '1.00' } }), /of 1\.00, not of 320\.00/],
    ['another state', (charge) => ({ ...charge, status: 'REMOVIDA_PELO_PSP' }), /REMOVIDA_PELO_PSP/],
    ['another charge', (charge) => ({ ...charge, txid: 'a'.repeat(26) }), /a{26}/],
    ['no charge', () => ({}), /is no charge: /],
    [
      'no code',
      ({ pixCopiaECola: _code, location: _location, ...charge }) => charge,
      /neither pixCopiaECola/,
    ],
    ['a location, and nobody to name', ({ pixCopiaECola: _code, ...charge }) => charge, /PIX_RECEIVER_NAME/],
  ])('refuses a recharge for which the bank answers with %s', async (_what, shows, reason) => {
    bank.shows = shows;
    const { live } = await stage.server.createTeam();
    expectRefusal(await stage.door.createRecharge(live, pixOf('320.00')), providerUnavailable);
    expect(logged('payment provider made no charge').at(-1)).toMatch(reason);
  });

  it('logs why the bank refuses, and nothing that was sent', async () => {
    bank.fault = (_request, response) => {
      const violacoes = [
        { razao: 'O campo não respeita o schema.', propriedade: 'cob.chave', valor: 'secret' },
      ];
      response.writeHead(400).end(JSON.stringify({ title: 'Cobrança inválida.', status: 400, violacoes }));
      return true;
    };
    bank.revokeTokens();
    const { live } = await stage.server.createTeam();
    // The fault is that of the request for a token, too.
    expectRefusal(await stage.door.createRecharge(live, pixOf('320.00')), providerUnavailable);
    const line = logged('payment provider made no charge').at(-1) ?? '';
    expect(JSON.parse(line).err.message).toMatch(
      /answered 400: Cobrança inválida\.; cob\.chave: O campo não respeita o schema\.$/,
    );
    for (const secret of ['secret', bank.clientSecret, bank.pixKey]) expect(line).not.toContain(secret);
  });

  it('logs no more of why the bank refuses than there is need of', async () => {
    const [long, propriedade] = ['x'.repeat(10_000), 'cob.chave'];
    bank.fault = ({ method }, response) => {
      const violacoes = Array.from({ length: 50 }, () => ({ razao: long, propriedade }));
      const told = JSON.stringify({ title: long, detail: long, violacoes });
      return method === 'PUT' && Boolean(response.writeHead(400).end(told));
    };
    const { live } = await stage.server.createTeam();
    expectRefusal(await stage.door.createRecharge(live, pixOf('320.00')), providerUnavailable);
    const { message } = JSON.parse(logged('payment provider made no charge').at(-1) ?? '').err;
    expect(message.length).toBeLessThan(2_500);
    expect(message.split(propriedade)).toHaveLength(6);
  });

  it('logs why it gets no token', async () => {
    bank.revokeTokens();
    bank.fault = ({ path }, response) => {
      if (!path.startsWith('/oauth')) return false;
      response
        .writeHead(400)
        .end(JSON.stringify({ error: 'invalid_scope', error_description: 'cob.write?' }));
      return true;
    };
    const { live } = await stage.server.createTeam();
    expectRefusal(await stage.door.createRecharge(live, pixOf('320.00')), providerUnavailable);
    const line = logged('payment provider made no charge').at(-1) ?? '';
    expect(JSON.parse(line).err.message).toBe(
      'the request for a token answered 400: invalid_scope; cob.write?',
    );
  });

  it.each([
    ['no JSON', () => '<html>'],
    ['an answer without end', (answer: string) => answer.padEnd(4_000_001)],
  ])('refuses a recharge for which the bank has %s', async (_what, told) => {
    bank.fault = (_request, response, { status, body }) =>
      status === 201 && Boolean(response.end(told(JSON.stringify(body))));
    const { live } = await stage.server.createTeam();
    expectRefusal(await stage.door.createRecharge(live, pixOf('320.00')), providerUnavailable);
  });
});

describePixApi(
  'PAYMENT_PROVIDER=pix_api of a bank that gives no codes',
  (stage) => {
    it('makes the code of the charge’s location, and names who is paid', async () => {
      stage.bank.shows = (charge) => ({ ...charge, pixCopiaECola: null });
      stage.bank.revokeTokens();
      const { id, payment } = await stage.requested();
      const { location } = stage.bank.charges.get(txidOf(id));
      expect(getPixPayloadInfo(payment.pix_copy_paste)).toMatchObject({
        url: location,
        merchantName: 'Agencia Sol',
        merchantCity: 'Sao Paulo',
      });
      // The bank has ten seconds for its answer, and the payer at least half of what there is.
      expect(stage.bank.charges.get(txidOf(id)).calendario.expiracao).toBe(6);
      expect(stage.bank.tokenRequests[0]?.headers.authorization).toBeUndefined();
      expect(stage.bank.tokenRequests[0]?.body).toMatchObject({
        client_id: stage.bank.clientId,
        client_secret: stage.bank.clientSecret,
        scope: 'cob.write',
      });
      expect(stage.bank.requests.at(-1)?.headers['x-application-key']).toBe('k');
    });

    it('hears nothing of callbacks without a secret for them', async () => {
      expect((await stage.callback({ pix: [] }, 'x')).status).toBe(404);
    });
  },
  {
    PIX_RECEIVER_NAME: 'Agência Sol',
    PIX_RECEIVER_CITY: 'São Paulo',
    PIX_VALIDITY: '12s',
    PIX_API_CLIENT_AUTHENTICATION: 'client_secret_post',
    PIX_API_SCOPE: 'cob.write',
    PIX_API_HEADERS: '{"X-Application-Key":"k"}',
    PIX_API_CALLBACK_SECRET: '',
  },
);
