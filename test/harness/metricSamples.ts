import { restRequest } from './client.ts';

/** What a server's /metrics has of a series, which is written as it is there: `name{label="value"}`. */
async function readSample(url: string, series: string): Promise<number | undefined> {
  const { text } = await restRequest(url, 'GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** The value of a series that has to be there. */
export async function sampleOf(url: string, series: string): Promise<number> {
  const value = await readSample(url, series);
  if (value === undefined) throw new Error(`/metrics has no ${series}`);
  return value;
}

/** The value of a series of a counter that has none for labels with which it has counted nothing: 0 then. */
export async function countOf(url: string, series: string): Promise<number> {
  return (await readSample(url, series)) ?? 0;
}
