import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { dataOf, expectRefusal } from '../doors/door.ts';
import { keyReused } from '../doors/idempotencySteps.ts';
import { describeWebhookDoors } from './webhookDoors.ts';

describeWebhookDoors('a webhook registered with an Idempotency-Key', (stage) => {
  const newRequest = () => ({
    url: stage.world.receiver.url(`/${randomUUID()}`),
    events: ['wallet.recharge.pending'],
  });

  it('is one, and told with its secret to all who registered it at once', async () => {
    const { live } = await stage.world.server.createTeam();
    const [request, idempotencyKey] = [newRequest(), randomUUID()];
    const register = () => stage.door.create(live, request, { idempotencyKey });
    const outcomes = await Promise.all(Array.from({ length: 6 }, register));
    expect(outcomes.map((outcome) => dataOf(outcome))).toEqual(
      outcomes.map(() => ({ ...request, id: expect.any(String), secret: expect.any(String), active: true })),
    );
    expect(new Set(outcomes.map(({ text }) => text)).size).toBe(1);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(dataOf(await stage.door.list(live)).pagination.total).toBe(1);
  });

  it('is told to nobody who asks for another with the same key', async () => {
    const { live } = await stage.world.server.createTeam();
    const idempotencyKey = randomUUID();
    dataOf(await stage.door.create(live, newRequest(), { idempotencyKey }));
    expectRefusal(await stage.door.create(live, newRequest(), { idempotencyKey }), keyReused);
    expect(dataOf(await stage.door.list(live)).pagination.total).toBe(1);
  });

  it('that there was already is refused again, in the same bytes, though it is gone by now', async () => {
    const { live } = await stage.world.server.createTeam();
    const [request, idempotencyKey] = [newRequest(), randomUUID()];
    const { id } = dataOf(await stage.door.create(live, request));
    const refused = await stage.door.create(live, request, { idempotencyKey });
    dataOf(await stage.door.remove(live, id));
    const again = await stage.door.create(live, request, { idempotencyKey });
    for (const outcome of [refused, again])
      expectRefusal(outcome, {
        status: 409,
        code: 'VALIDATION_ERROR',
        message: 'URL already registered',
        details: { field: 'url', type: 'repeated' },
      });
    expect([refused.replayed, again.replayed]).toEqual([false, true]);
    expect(again.text).toBe(refused.text);
    const anew = await stage.door.create(live, request);
    expect(dataOf(anew).id).not.toBe(id);
    expect(anew.replayed).toBe(false);
  });
});
