import { expect, it } from 'vitest';
import { loadParts } from '../../src/infrastructure/laterParts.ts';

it('parts of the program that cannot be loaded are all told of, and keep none behind them from it', async () => {
  const loaded: string[] = [];
  const loads = (name: string) => async () => void loaded.push(name);
  const fails = (message: string) => async () => {
    throw new Error(message);
  };
  const loading = loadParts([loads('first'), fails('no descriptor'), loads('second'), fails('no file')]);
  await expect(loading).rejects.toMatchObject({
    message: '2 of 4 not loaded',
    errors: [new Error('no descriptor'), new Error('no file')],
  });
  expect(loaded).toEqual(['first', 'second']);
});
