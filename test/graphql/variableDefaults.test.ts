import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const pageOf = (limit: number) => ({ data: { recharges: { pagination: { limit } } } });

describeOneEngine('The default of a variable that is never null', (engine) => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await startTestServer(engine);
    key = (await server.createTeam()).live;
  });
  afterAll(() => server?.close());

  /** The answers to a document that is new, and to the same one once it is compiled. */
  const answersTo = async (query: string, variables?: object): Promise<Json[]> => {
    const body = { query, variables };
    const answers = [
      await server.rest('POST', '/graphql', { key, body }),
      await server.rest('POST', '/graphql', { key, body }),
    ];
    return answers.map((answer) => answer.body);
  };

  it.each(['limit', 'constructor'])('stands for a $%s that is left out', async (name) => {
    const query = `query ($${name}: PageSize! = 7) { recharges(limit: $${name}) { pagination { limit } } }`;
    for (const answer of await answersTo(query)) expect(answer).toEqual(pageOf(7));
    for (const answer of await answersTo(query, { [name]: 8 })) expect(answer).toEqual(pageOf(8));
    for (const answer of await answersTo(query, { [name]: null })) {
      expect(answer.errors[0].extensions.details).toMatchObject({ field: name, type: 'required' });
    }
  });

  it('stands within objects and lists', async () => {
    const query = `query ($type: TripType! = round_trip, $passenger: FlightPassengerInput! = { type: adult, count: 0 }) {
      flightSearch(search: { type: $type, slices: [], passengers: [$passenger] }) { id }
    }`;
    for (const { errors } of await answersTo(query)) {
      expect(errors[0].extensions.details.errors.map(({ field }: Json) => field)).toEqual([
        'search.slices',
        'passenger.count',
      ]);
    }
  });
});
