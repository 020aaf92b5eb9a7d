import { expect, it } from 'vitest';
import { NoTurnCame, Turns } from '../../src/infrastructure/turns.ts';

it('Turns come in the order in which they are waited for, but to whoever has given up', async () => {
  const turns = new Turns(1);
  const endFirst = await turns.take('one', null);
  const begun: string[] = [];
  const wait = async (name: string) => {
    const end = await turns.take('one', null);
    begun.push(name);
    end();
  };
  const second = wait('second');
  await expect(turns.take('one', 1)).rejects.toThrow(NoTurnCame);
  const third = wait('third');
  endFirst();
  await Promise.all([second, third]);
  expect(begun).toEqual(['second', 'third']);
  expect(turns.takeNow('one')).not.toBeNull();
});

it('Of turns at once, one that ends makes room for one more', async () => {
  const turns = new Turns(2);
  const taken = [turns.takeNow('one'), turns.takeNow('one')];
  expect([turns.takeNow('one'), turns.takeNow('other')]).toEqual([null, expect.any(Function)]);
  taken[0]!();
  expect([turns.takeNow('one'), turns.takeNow('one')]).toEqual([expect.any(Function), null]);
});
