import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { median } from '../contest.ts';
import type { Outcome, Work } from '../work.ts';
import type { WebhookWorld } from './webhookWorld.ts';
import { openWebhookWorld } from './webhookWorld.ts';

const waiting = 10_000;
/** As many as fit into the limit of a day: of fewer the slowest hundredth are a handful, which say little. */
const recharges = 1_000;
const clients = 4;

function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil((sorted.length - 1) * share)] ?? Number.NaN;
}

/** Recharges one after another by a few clients. @returns the milliseconds from each event to its arrival. */
async function delays(world: WebhookWorld): Promise<number[]> {
  await world.sql('DELETE FROM recharge_days');
  await world.arrivals(true);
  let left = recharges;
  const client = async () => {
    for (; left > 0; ) {
      left -= 1;
      const answer = await fetch(`${world.product.url}/api/v1/wallet/recharge`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.liveKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'boleto' }),
      });
      if (answer.status !== 201) throw new Error(`no recharge: ${answer.status}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await delay(20)) {
    const { delaysMs } = await world.arrivals();
    if (delaysMs.length === recharges) return delaysMs;
  }
  throw new Error('not every event arrived');
}

/** The same while another webhook of the team hangs with thousands waiting. */
async function delaysBeside(world: WebhookWorld, round: number): Promise<number[]> {
  const id = await world.register(`/hang/${round}`);
  await world.seed([id], waiting);
  const underWay = `SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND leased_until IS NOT NULL LIMIT 1`;
  while ((await world.sql(underWay, [id])).length === 0) await delay(20);
  const measured = await delays(world);
  const [row] = await world.sql(
    `SELECT count(*)::integer AS left FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`,
    [id],
  );
  if (Number(row?.left) < waiting) throw new Error('the hanging webhook did not hang');
  const answer = await fetch(`${world.product.url}/api/v1/webhooks/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${world.liveKey}` },
  });
  if (!answer.ok) throw new Error(`not deleted: ${answer.status}`);
  await world.settled([id]);
  return measured;
}

async function run(bench: Bench): Promise<Outcome> {
  const world = await openWebhookWorld(bench, {});
  await world.register('/timed');
  await delays(world);
  const rounds: { alone: number[]; beside: number[] }[] = [];
  for (let round = 0; round < bench.pace.rounds; round += 1)
    rounds.push({ alone: await delays(world), beside: await delaysBeside(world, round) });
  const all = (name: 'alone' | 'beside') => rounds.flatMap((round) => round[name]);
  const ratio = median(rounds.map(({ alone, beside }) => quantile(beside, 0.99) / quantile(alone, 0.99)));
  const milliseconds = (name: string, values: number[], share: number) => ({
    name,
    measured: quantile(values, share),
    unit: 'ms',
  });
  return {
    figures: [
      { name: 'p99 beside one that hangs', measured: ratio, unit: '× p99 without', goal: { atMost: 1.5 } },
      milliseconds('p99 without', all('alone'), 0.99),
      milliseconds('p99 beside one that hangs', all('beside'), 0.99),
      milliseconds('p50 without', all('alone'), 0.5),
      milliseconds('p50 beside one that hangs', all('beside'), 0.5),
    ],
    notes: [
      `From the event's own time to its arrival at the receiver: ${recharges} recharges by ${clients} clients a slice; ` +
        `the hanging webhook is of the same team, subscribes to the same events and has ${waiting} waiting.`,
    ],
  };
}

export const hangingWebhook: Work = {
  title: 'A healthy webhook beside one that hangs',
  takes: { once: 6, round: 8 },
  needs: ['postgres'],
  run,
};
