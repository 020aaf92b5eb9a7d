import { expect, it } from 'vitest';
import { dataOf } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { dayMs, minuteMs, secondMs } from '../harness/testClock.ts';
import { describePixApi, txidOf } from './pixApiStage.ts';

describePixApi('What PAYMENT_PROVIDER=pix_api hears', (stage) => {
  const { bank, clock, logged } = stage;

  const reasonsOf = (id: string) =>
    stage.server.query('SELECT reason FROM payment_notices WHERE recharge_id = $1', [id]);

  it('credits what the bank says of a payment that a callback tells, once', async () => {
    const { id, live } = await stage.requested();
    clock.advance(secondMs);
    const paidAt = clock.now().toISOString();
    const payment = bank.pay(txidOf(id));
    clock.advance(secondMs);
    for (let times = 0; times < 2; times += 1)
      expect(await stage.tell(payment)).toEqual({
        status: 200,
        body: { success: true, data: { received: 1 } },
      });
    expect(await stage.read(live, id)).toMatchObject({ status: 'completed', paid_at: paidAt });
    expect(dataOf(await stage.door.balance(live)).balance).toBe('320.00');
  });

  it('takes as many payments as one callback tells', async () => {
    const requested = await Promise.all(Array.from({ length: 19 }, () => stage.requested('100.00')));
    const told = await stage.tell(...requested.map(({ id }) => bank.pay(txidOf(id))));
    expect(told).toMatchObject({ status: 200, body: { data: { received: 19 } } });
    for (const { id, live } of requested) expect((await stage.read(live, id)).status).toBe('completed');
  });

  it('believes nothing of a callback but which payments it is about', async () => {
    const [{ id, live }, other] = [await stage.requested(), await stage.requested()];
    const unpaid = { endToEndId: `E${'1'.repeat(31)}`, txid: txidOf(id), valor: '320.00', horario: 'now' };
    expect((await stage.callback({ pix: [unpaid] })).status).toBe(500);
    const payment = bank.pay(txidOf(other.id));
    expect(await stage.callback({ pix: [{ ...unpaid, endToEndId: payment }] })).toMatchObject({
      status: 200,
    });
    expect((await stage.read(live, id)).status).toBe('pending');
    expect((await stage.read(other.live, other.id)).status).toBe('completed');
  });

  it('takes no callback without the secret, and asks the bank nothing for it', async () => {
    const { id, live } = await stage.requested();
    const body = { pix: [bank.payments.find(({ endToEndId }) => endToEndId === bank.pay(txidOf(id)))] };
    bank.requests.length = 0;
    for (const secret of ['', 'pix', 'what-only-the-bank-and-we-knew'])
      expect((await stage.callback(body, secret)).status, secret).toBe(401);
    expect(bank.requests).toEqual([]);
    expect((await stage.read(live, id)).status).toBe('pending');
  });

  it.each([
    ['nothing', ''],
    ['a test of the address', { evento: 'teste_webhook' }],
    [
      'payments of others',
      { pix: [{ endToEndId: `E${'2'.repeat(31)}`, txid: 'invoice2026', valor: '9.00' }] },
    ],
    ['payments without a name', { pix: [{ endToEndId: '../cob', txid: `0${'a'.repeat(25)}` }, null, 'pix'] }],
  ])('takes a callback of %s, and asks the bank nothing for it', async (_what, body) => {
    expect(await stage.callback(body)).toMatchObject({ status: 200, body: { data: { received: 0 } } });
    expect(bank.requests).toEqual([]);
  });

  it('tells the bank of a callback that it cannot read, so that it comes again', async () => {
    expect((await stage.callback('{')).status).toBe(500);
    expect((await stage.callback({ pix: 1 })).status).toBe(500);
  });

  it('finds payments that no callback told, on whatever page, of days gone by', async () => {
    const requested = [await stage.requested(), await stage.requested(), await stage.requested()];
    for (const [index, { id }] of requested.entries()) {
      // What others of the same key are paid, with and without a name of theirs.
      bank.pay('invoice', { txid: undefined });
      bank.pay('invoice');
      // The last is of a time that is asked for by itself.
      const horario = new Date(clock.now().getTime() + (index === 2 ? 5.5 * dayMs : 0)).toISOString();
      bank.pay(txidOf(id), { horario });
    }
    bank.itemsOnPage = 2;
    clock.advance(6 * dayMs);
    for (const { id, live } of requested.slice(0, 2))
      await eventually(async () => (await stage.read(live, id)).status === 'completed');
    const [{ id } = { id: '' }] = requested.slice(2);
    // It was paid days after its end.
    await eventually(async () => (await reasonsOf(id)).length > 0);
    expect(await reasonsOf(id)).toEqual([{ reason: 'paid_late' }]);
  });

  it.each([
    ['nothing of what was asked', { mensagem: 'ok' }],
    ['a failure', null],
  ])('asks again for what it was told in a list that the bank answers with %s', async (_what, body) => {
    const { id, live } = await stage.requested();
    bank.pay(txidOf(id));
    let lists = 0;
    bank.fault = ({ path }, response) => {
      if (!path.startsWith('/api/v2/pix?')) return false;
      lists += 1;
      response.writeHead(body ? 200 : 503).end(JSON.stringify(body));
      return true;
    };
    clock.advance(10 * minuteMs);
    await eventually(() => lists === 2);
    bank.fault = null;
    // Later than what is asked for twice anyhow.
    clock.advance(3 * 60 * minuteMs);
    await eventually(async () => (await stage.read(live, id)).status === 'completed');
  });

  it.each([
    [{ liquidacao: '2026-11-19T12:00:01Z', solicitacao: '2026-11-19T12:00:00Z' }, '12:00:01'],
    [{ solicitacao: '2026-11-19T09:00:02-03:00' }, '12:00:02'],
    [{ liquidacao: null, solicitacao: '2026-11-19T09:00:03' }, '12:00:03'],
  ])('takes a return of %j for one of that time', async (horario, time) => {
    const { id } = await stage.requested();
    const payment = bank.pay(txidOf(id), { horario: '2026-11-19T09:00:00' });
    bank.giveBack(payment, { horario, natureza: 'MED_OPERACIONAL' });
    expect((await stage.tell(payment)).status).toBe(200);
    const told = await stage.server.query(
      'SELECT outcome, paid_at FROM payment_notices WHERE recharge_id = $1 ORDER BY outcome',
      [id],
    );
    expect(told).toEqual([
      { outcome: 'paid', paid_at: new Date('2026-11-19T12:00:00Z') },
      { outcome: 'returned', paid_at: new Date(`2026-11-19T${time}Z`) },
    ]);
  });

  it.each([
    ['amount', { valor: '1e2' }, 'with an amount that is none'],
    ['amount at all', { valor: undefined }, 'with an amount that is none'],
    ['time', { horario: 'ontem' }, 'with a time that is none'],
    ['time at all', { horario: undefined }, 'with a time that is none'],
    ['returns', { devolucoes: 'MED' }, null],
  ])(
    'tells of a payment without readable %s, and credits it where that says nothing of it',
    async (_what, more, fault) => {
      const { id, live } = await stage.requested();
      const { status } = await stage.tell(bank.pay(txidOf(id), more));
      expect(status).toBe(fault ? 500 : 200);
      expect((await stage.read(live, id)).status).toBe(fault ? 'pending' : 'completed');
      if (fault) expect(logged('request failed').at(-1)).toContain(fault);
    },
  );

  it('keeps what it cannot read of a payment from none of the others', async () => {
    const [unreadable, sound] = [await stage.requested(), await stage.requested()];
    bank.pay(txidOf(unreadable.id), { valor: '1e2' });
    bank.pay(txidOf(sound.id));
    clock.advance(10 * minuteMs);
    await eventually(async () => (await stage.read(sound.live, sound.id)).status === 'completed');
    await eventually(() =>
      stage.server.logLines.some((line) => line.includes('with an amount that is none')),
    );
    expect((await stage.read(unreadable.live, unreadable.id)).status).not.toBe('completed');
  });

  it('has an operator look at what the bank gave back of a payment without us, however long ago it came', async () => {
    const { id } = await stage.requested();
    const payment = bank.pay(txidOf(id));
    await stage.tell(payment);
    clock.advance(60 * dayMs);
    const returned = bank.giveBack(payment, { valor: '20.00' });
    // Ours, and what did not come about.
    for (const natureza of ['ORIGINAL', 'RETIRADA', null, undefined]) bank.giveBack(payment, { natureza });
    bank.giveBack(payment, { status: 'NAO_REALIZADO' });
    const waiting = () =>
      stage.server.query(
        `SELECT provider_reference, outcome, reason, amount_cents::int FROM payment_notices
          WHERE recharge_id = $1 AND settled_at IS NULL`,
        [id],
      );
    const expected = [
      { provider_reference: returned, outcome: 'returned', reason: 'returned', amount_cents: 2_000 },
    ];
    await eventually(async () => (await waiting()).length > 0);
    expect(await waiting()).toEqual(expected);
    expect((await stage.tell(payment)).status).toBe(200);
    expect(await waiting()).toEqual(expected);
  });

  it('asks the bank for what it can answer: each time once, five days at most, none of them to come', async () => {
    await stage.requested();
    bank.requests.length = 0;
    // Its clock is behind.
    bank.now = () => clock.now().getTime() - minuteMs / 2;
    clock.advance(30 * dayMs);
    await sweptTwice(stage.server.url, 'missed-notices');
    const lists = bank.requests.map(({ path }) => new URL(path, 'http://bank').searchParams);
    const instantsOf = (kind: boolean) =>
      lists.flatMap((query) =>
        query.has('devolucaoPresente') === kind ? [[query.get('inicio'), query.get('fim')]] : [],
      );
    // A month and an hour before it; the returns among what came in the ninety days before that.
    const [received, returned] = [instantsOf(false), instantsOf(true)];
    expect([received.length, returned.length]).toEqual([7, 18]);
    const inOrder = [...returned, ...received];
    for (const [index, [first]] of inOrder.slice(1).entries())
      expect(Date.parse(first ?? '')).toBe(Date.parse(inOrder[index]?.[1] ?? '') + 1);
    expect(new Set(lists.map((query) => query.get('paginacao.paginaAtual')))).toEqual(new Set(['0']));
    expect(logged('sweep failed; it runs again')).toEqual([]);
  });
});
