import { describe, expect, it } from 'vitest';
import { ticketName } from '../../../src/infrastructure/flights/ticketName.ts';

describe('names on tickets', () => {
  it.each([
    ['Ana', 'ANA'],
    ['João d’Ávila', "JOAO D'AVILA"],
    ['Anne-Marie', 'ANNE-MARIE'],
    ['Łukasz Żółć', 'LUKASZ ZOLC'],
    ['Ægir Øystein', 'AEGIR OEYSTEIN'],
    ['Straße', 'STRASSE'],
    ['GROẞ', 'GROSS'],
    ['Ĳsbrand ĳ', 'IJSBRAND IJ'],
    ['Þór Guðmundsson', 'THOR GUDMUNDSSON'],
    ['Nguyễn Đặng', 'NGUYEN DANG'],
    ['Işık İnönü', 'ISIK INONU'],
    ['Joa\u0303o', 'JOAO'],
  ])('%s is %s', (name, written) => {
    expect(ticketName(name)).toBe(written);
  });

  it.each([
    '',
    ' ',
    '-',
    'Ana ',
    ' Ana',
    'Ana  -  Maria',
    'Ana2',
    'Ana.',
    'Иван',
    'Αννα',
    '東京',
    'Ana/Maria',
  ])('%j is none', (name) => {
    expect(ticketName(name)).toBeNull();
  });
});
