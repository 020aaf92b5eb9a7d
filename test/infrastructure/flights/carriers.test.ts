import { describe, expect, it } from 'vitest';
import { carrierLogoPath, carrierLogoSvg, carrierOf } from '../../../src/infrastructure/flights/carriers.ts';

describe('carriers', () => {
  it('names an airline', () => expect(carrierOf('LA')).toEqual({ iataCode: 'LA', name: 'LATAM Airlines' }));

  it('refuses a designator that no table of ours should use', () =>
    expect(() => carrierOf('??')).toThrow('??'));

  it('draws a badge for every airline', () => {
    const svg = carrierLogoSvg('G3');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*G3<\/text><\/svg>$/);
    expect(carrierLogoPath('G3')).toBe('/logos/G3.svg');
  });

  it.each(['<b', 'LAX', 'l', '', 'la', '../'])('draws nothing for %j', (code) => {
    expect(carrierLogoSvg(code)).toBeNull();
  });
});
