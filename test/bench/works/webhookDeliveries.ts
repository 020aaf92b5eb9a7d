import type { Bench } from '../bench.ts';
import { median } from '../contest.ts';
import type { Posting } from '../peers/posts.ts';
import type { Outcome, Work } from '../work.ts';
import type { WebhookWorld } from './webhookWorld.ts';
import { openWebhookWorld } from './webhookWorld.ts';

/** Deliveries of one slice, about two seconds' worth. */
const sliceCount = 10_000;
const connections = 64;

/**
 * Sent before each slice and not counted: between two of its slices a sender rests so long that it closes its
 * connections, and opening them again is not what is measured.
 */
const warmingCount = 5_000;

/** What one slice came to. */
interface Slice {
  /** Posts a second. */
  readonly rate: number;
  /** Connections that were made in it all the same. */
  readonly opened: number;
}

/** Bare POSTs of the same bytes to the same receiver. */
async function barePosts(senderUrl: string, world: WebhookWorld, posting: Posting): Promise<Slice> {
  await post(senderUrl, world, { ...posting, count: warmingCount });
  return post(senderUrl, world, posting);
}

async function post(senderUrl: string, world: WebhookWorld, posting: Posting): Promise<Slice> {
  await world.arrivals(true);
  const answer = await fetch(senderUrl, { method: 'POST', body: JSON.stringify(posting) });
  if (!answer.ok) throw new Error(await answer.text());
  const { seconds } = (await answer.json()) as { seconds: number };
  const { count, connections: opened } = await world.arrivals();
  if (count !== posting.count) throw new Error(`${count} of ${posting.count} bare posts arrived`);
  return { rate: count / seconds, opened };
}

/** Deliveries that wait when the worker begins: sent, answered and recorded. */
async function deliveries(world: WebhookWorld, webhookIds: readonly string[]): Promise<Slice> {
  await world.seed(webhookIds, warmingCount / webhookIds.length);
  await world.settled(webhookIds);
  await world.arrivals(true);
  await world.seed(webhookIds, sliceCount / webhookIds.length);
  await world.arrived(sliceCount);
  await world.settled(webhookIds);
  const endMs = performance.timeOrigin + performance.now();
  const { count, firstMs, connections: opened } = await world.arrivals();
  if (count !== sliceCount) throw new Error(`${count} of ${sliceCount} deliveries arrived`);
  return { rate: count / ((endMs - (firstMs ?? Number.NaN)) / 1_000), opened };
}

/** What a receiver gets, so that bare posts carry no fewer bytes. */
async function postingOf(world: WebhookWorld): Promise<Posting> {
  const { sample } = await world.arrivals();
  if (!sample) throw new Error('nothing arrived');
  const ours = ['host', 'connection', 'content-length', 'accept', 'accept-encoding', 'user-agent'];
  const headers = Object.entries(sample.headers).filter(([name]) => !ours.includes(name));
  const { origin } = world;
  return {
    origin,
    path: '/bare',
    headers: Object.fromEntries(headers),
    body: sample.body,
    count: sliceCount,
    connections,
  };
}

async function run(bench: Bench): Promise<Outcome> {
  const world = await openWebhookWorld(bench, {});
  const sender = await bench.peer('bare posts', 'posts', { NODE_EXTRA_CA_CERTS: world.authorityPath });
  const one = [await world.register('/one')];
  const ten = await Promise.all(Array.from({ length: 10 }, (_, index) => world.register(`/ten/${index}`)));
  await deliveries(world, one);
  await deliveries(world, ten);
  const posting = await postingOf(world);
  await barePosts(sender.url, world, posting);
  const rounds: { toTen: Slice; bare: Slice; toOne: Slice }[] = [];
  for (let round = 0; round < bench.pace.rounds; round += 1) {
    rounds.push({
      toTen: await deliveries(world, ten),
      bare: await barePosts(sender.url, world, posting),
      toOne: await deliveries(world, one),
    });
  }
  type Name = keyof (typeof rounds)[number];
  const rate = (name: Name) => median(rounds.map((round) => round[name].rate));
  const share = (name: Name) => median(rounds.map((round) => round[name].rate / round.bare.rate));
  const opened = (name: Name) => rounds.map((round) => round[name].opened).join(', ');
  return {
    figures: [
      {
        name: 'to ten webhooks',
        measured: share('toTen'),
        unit: '× bare undici POSTs',
        goal: { atLeast: 0.5 },
      },
      {
        name: 'to one webhook',
        measured: share('toOne'),
        unit: '× bare undici POSTs',
        goal: { atLeast: 0.5 },
      },
      { name: 'bare undici POSTs', measured: rate('bare'), unit: 'requests/s' },
      { name: 'to ten webhooks', measured: rate('toTen'), unit: 'deliveries/s' },
      { name: 'to one webhook', measured: rate('toOne'), unit: 'deliveries/s' },
    ],
    notes: [
      `Each slice: ${sliceCount} deliveries that wait in the table, signed twice, sent, answered, logged and counted, ` +
        `from the first arrival to the last record; bare posts: the same bytes over ${connections} connections. ` +
        `Both send ${warmingCount} before each slice, so that hardly any connection is opened in it: to ten webhooks ` +
        `${opened('toTen')}, to one ${opened('toOne')}, bare ${opened('bare')}.`,
    ],
  };
}

export const webhookDeliveries: Work = {
  title: 'Webhook deliveries',
  takes: { once: 8, round: 8.5 },
  needs: ['postgres'],
  run,
};
