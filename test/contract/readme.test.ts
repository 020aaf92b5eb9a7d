import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';

const fileOf = (path: string) => new URL(`../../${path}`, import.meta.url);

/** As GitHub names the place of a heading. */
const placeOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const firstOf = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, first = '']) => first);

describe('README leads', () => {
  let readme: string;
  let prose: string;
  beforeAll(async () => {
    readme = await readFile(fileOf('README.md'), 'utf8');
    // Its outputs have what looks like headings and links.
    prose = readme.replace(/^ *```[\s\S]*?^ *```$/gm, '');
  });

  it('from its links to headings that are there', () => {
    const places = firstOf(/^#+ (.+)$/gm, prose).map(placeOf);
    const led = firstOf(/\]\(#([^)]+)\)/g, prose);
    expect(led).toContain('settings');
    expect(led.filter((place) => !places.includes(place))).toEqual([]);
  });

  it('to files that are there', () => {
    const paths = firstOf(/`((?:src|rest|schema|test|migrations)\/[\w./-]+)`/g, prose);
    expect(paths).toContain('src/config.ts');
    expect(paths.filter((path) => !existsSync(fileOf(path)))).toEqual([]);
  });

  it('to commands that are there', async () => {
    const { scripts } = JSON.parse(await readFile(fileOf('package.json'), 'utf8'));
    const commands = firstOf(/npm run ([\w:]+)/g, readme);
    expect(commands).toContain('ledger:verify');
    expect(commands.filter((command) => !Object.hasOwn(scripts, command))).toEqual([]);
  });

  it('through sessions of which nothing is left out', () => {
    const shown = firstOf(/^ *```\w*\n([\s\S]*?)^ *```$/gm, readme);
    expect(shown.some((text) => text.includes('client_amount'))).toBe(true);
    expect(shown.filter((text) => text.trim() === '')).toEqual([]);
  });
});
