import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { median } from '../contest.ts';
import type { Broadcast } from '../peers/broadcast.ts';
import type { Heard, Listening } from '../peers/listeners.ts';
import type { Outcome, Work } from '../work.ts';
import { openWebhookWorld } from './webhookWorld.ts';

const subscriberCount = 1_000;
const eventCount = 100;

const subscription = `subscription {
  walletEvents { id type apiVersion createdAt teamId data { object previousAttributes } }
}`;

const post = async (url: string, body?: object) => {
  const answer = await fetch(url, { method: 'POST', ...(body ? { body: JSON.stringify(body) } : {}) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return (await answer.json()) as Heard;
};

/** Resolves once everybody has heard everything. @returns messages a second, from the first to the last. */
async function rateOf(listeners: string): Promise<{ rate: number; sample: string }> {
  const expected = subscriberCount * eventCount;
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { messages, firstMs, lastMs, sample } = (await (await fetch(listeners)).json()) as Heard;
    if (messages > expected) throw new Error(`${messages} messages instead of ${expected}`);
    if (messages === expected && firstMs !== null && lastMs !== null)
      return { rate: messages / ((lastMs - firstMs) / 1_000), sample };
    if (performance.now() > deadline) throw new Error(`${messages} of ${expected} messages came`);
    await delay(50);
  }
}

async function run(bench: Bench): Promise<Outcome> {
  const world = await openWebhookWorld(bench, {});
  const broadcaster = await bench.peer('bare ws', 'broadcast', {});
  const listeners = await bench.peer('product listeners', 'listeners', {});
  const bareListeners = await bench.peer('bare listeners', 'listeners', {});
  const residentKib = async () => (await world.metric('embarque_process_resident_memory_bytes')) / 1_024;
  const before = await residentKib();
  const listening: Listening = {
    url: `${world.product.url.replace('http', 'ws')}/graphql`,
    count: subscriberCount,
    protocol: 'graphql-transport-ws',
    first: JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${world.liveKey}` } }),
    second: JSON.stringify({ id: '1', type: 'subscribe', payload: { query: subscription } }),
  };
  await post(`${listeners.url}/open`, listening);
  while ((await world.metric('embarque_subscribers')) < subscriberCount) await delay(50);
  const idleKib = ((await residentKib()) - before) / subscriberCount;
  const bare = {
    ...listening,
    url: broadcaster.url.replace('http', 'ws'),
    protocol: null,
    first: null,
    second: null,
  };
  await post(`${bareListeners.url}/open`, bare);

  const product = async () => {
    await post(`${listeners.url}/reset`);
    await world.seedEvents(eventCount);
    return rateOf(listeners.url);
  };
  const { sample } = await product();
  const broadcast = async () => {
    await post(`${bareListeners.url}/reset`);
    await post(broadcaster.url, { text: sample, times: eventCount } satisfies Broadcast);
    return rateOf(bareListeners.url);
  };
  await broadcast();
  const rounds: { product: number; bare: number }[] = [];
  for (let round = 0; round < bench.pace.rounds; round += 1)
    rounds.push({ product: (await product()).rate, bare: (await broadcast()).rate });
  return {
    figures: [
      {
        name: 'messages a second',
        measured: median(rounds.map((round) => round.product / round.bare)),
        unit: '× bare ws broadcast',
        goal: { atLeast: 0.5 },
      },
      { name: 'product', measured: median(rounds.map((round) => round.product)), unit: 'messages/s' },
      { name: 'bare ws broadcast', measured: median(rounds.map((round) => round.bare)), unit: 'messages/s' },
      { name: 'memory of an idle subscriber', measured: idleKib, unit: 'KiB' },
    ],
    notes: [`${eventCount} events of one team to ${subscriberCount} subscribers; the same bytes both times.`],
  };
}

export const subscribers: Work = {
  title: '1 000 subscribers',
  takes: { once: 12, round: 1 },
  needs: ['postgres'],
  run,
};
