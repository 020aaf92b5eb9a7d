import fc from 'fast-check';
import pg from 'pg';
import { expect, it } from 'vitest';
import { isoTimestampReader, timestampReader } from '../../../src/infrastructure/database/timestamp.ts';

const timestamptzOid = 1184;
const ofDriver = pg.types.getTypeParser(timestamptzOid, 'text') as (text: string) => unknown;
const read = timestampReader(ofDriver);
const readIso = isoTimestampReader(ofDriver);

const instant = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

it('reads every millisecond as PostgreSQL writes it', () => {
  fc.assert(
    fc.property(instant, (at) => {
      const text = `${at.toISOString().replace('T', ' ').slice(0, -1)}+00`;
      expect(read(text)).toEqual(at);
      expect(readIso(text)).toBe(at.toISOString());
      expect(read(text.replace(/0+\+00$/, '+00').replace(/\.\+/, '+'))).toEqual(at);
    }),
  );
});

it.each([
  '2026-11-20 12:00:31.123456+00',
  '2026-11-20 12:00:31.999999+00',
  '2026-11-20 12:00:31+00',
  '2026-11-20 09:00:31.1-03',
  '2026-11-20 17:30:31.123+05:30',
  '0099-11-20 12:00:31.5+00',
  '0044-03-15 12:00:00+00 BC',
  '12026-11-20 12:00:31+00',
  'infinity',
  '-infinity',
])('reads %s as the driver does', (text) => {
  const value = ofDriver(text);
  expect(read(text)).toEqual(value);
  expect(readIso(text)).toEqual(value instanceof Date ? value.toISOString() : value);
});
