import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListReader } from '../../../src/infrastructure/json/listReader.ts';
import { ListWriter } from '../../../src/infrastructure/json/listWriter.ts';
import { type Room, roomOf } from '../../../src/infrastructure/json/room.ts';
import { bytesOf } from '../../../src/infrastructure/json/written.ts';

type Value = string | number | boolean | null | readonly Value[];

const { list } = fc.letrec<{ value: Value; list: Value[] }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', '\u007f', '\ud800', 'São Paulo–Guarulhos', '🛫'),
    fc.maxSafeInteger(),
    fc.integer({ min: -100, max: 1_000 }),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
  ),
  list: fc.array(tie('value'), { maxLength: 8 }),
}));

function add(writer: ListWriter, value: Value): void {
  if (value === null) writer.null();
  else if (typeof value === 'string') writer.text(value);
  else if (typeof value === 'number') writer.integer(value);
  else if (typeof value === 'boolean') writer.boolean(value);
  else {
    writer.open();
    for (const one of value) add(writer, one);
    writer.close();
  }
}

function write(values: readonly Value[], at: number, room: Room): number {
  const writer = new ListWriter(room, at);
  for (const value of values) add(writer, value);
  return writer.end();
}

describe('ListWriter', () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(list, (values) => {
        expect(bytesOf(values, write).toString()).toBe(JSON.stringify(values));
      }),
    );
  });

  it('writes whole numbers of any length to their last digit', () => {
    const powers = Array.from({ length: 16 }, (_, digits) => 10 ** digits);
    const nearPowers = powers.flatMap((power) => [power - 1, power, power + 1]);
    const largest = Array.from({ length: 1_000 }, (_, below) => Number.MAX_SAFE_INTEGER - below);
    const numbers = [...nearPowers, ...largest].flatMap((number) => [number, 0 - number]);
    expect(JSON.parse(bytesOf(numbers, write).toString())).toEqual(numbers);
  });

  it('counts what its room has no place for, and writes nothing there', () => {
    fc.assert(
      fc.property(list, fc.nat(40), (values, size) => {
        const whole = Buffer.from(JSON.stringify(values));
        const room = roomOf(size);
        expect(write(values, 0, room)).toBe(whole.length);
        if (whole.length <= size) expect(room.bytes.subarray(0, whole.length)).toEqual(whole);
      }),
    );
  });

  it('takes JSON as it is, and null for no text', () => {
    const written = bytesOf(null, (_, at, room) => {
      const writer = new ListWriter(room, at);
      writer.json('{"a":[1]}');
      writer.textOrNull(null);
      writer.textOrNull('b');
      return writer.end();
    });
    expect(written.toString()).toBe('[{"a":[1]},null,"b"]');
  });

  it('writes what ListReader reads', () => {
    const reader = new ListReader(JSON.parse('["a",[7,null,true],null,"b",{"c":1}]') as unknown[]);
    expect(reader.text()).toBe('a');
    const inner = reader.list();
    expect([inner.integer(), inner.integerOrNull(), inner.isAtEnd, inner.boolean(), inner.isAtEnd]).toEqual([
      7,
      null,
      false,
      true,
      true,
    ]);
    expect([reader.textOrNull(), reader.textOrNull(), reader.json()]).toEqual([null, 'b', { c: 1 }]);
    expect(reader.isAtEnd).toBe(true);
  });
});
