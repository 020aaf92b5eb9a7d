import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isPublicAddress,
  maxUrlLength,
  parseWebhookUrl,
} from '../../../src/infrastructure/webhooks/addressPolicy.ts';

function reasonOf(text: string, allowPrivateHosts = false): string {
  const parsed = parseWebhookUrl(text, { allowPrivateHosts });
  return parsed.ok ? 'ok' : parsed.reason;
}

describe('parseWebhookUrl', () => {
  it.each([
    ['https://hooks.example.com/a?b=c', 'https://hooks.example.com/a?b=c'],
    ['HTTPS://Hooks.Example.COM', 'https://hooks.example.com/'],
    ['https://example.com./x', 'https://example.com/x'],
    ['https://example.com:443/x', 'https://example.com/x'],
    ['https://example.com:1024/x', 'https://example.com:1024/x'],
    ['https://example.com:65535/x#part', 'https://example.com:65535/x'],
    ['https://example.com/x?', 'https://example.com/x'],
    ['https://example.com/x?#part', 'https://example.com/x'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    ['https://8.8.8.8/x', 'https://8.8.8.8/x'],
    ['https://134744072/x', 'https://8.8.8.8/x'],
    ['https://[2606:4700::1111]/x', 'https://[2606:4700::1111]/x'],
    ['https://under_score.example.com/', 'https://under_score.example.com/'],
    ['https://no-such-host.invalid/', 'https://no-such-host.invalid/'],
    [`https://${'a.'.repeat(125)}com/`, `https://${'a.'.repeat(125)}com/`],
  ])('accepts %s', (text, href) => {
    const parsed = parseWebhookUrl(text);
    expect(parsed.ok && parsed.url.href).toBe(href);
  });

  it.each([
    ['', 'malformed'],
    ['example.com', 'malformed'],
    ['https:example.com', 'malformed'],
    ['https:///example.com', 'malformed'],
    ['https:\\\\example.com', 'malformed'],
    ['https://example.com\\@10.0.0.1/', 'malformed'],
    [' https://example.com/', 'malformed'],
    ['https://example.com/a b', 'malformed'],
    ['https://exa\nmple.com/', 'malformed'],
    ['https://example.com/\0', 'malformed'],
    ['https://example.com/\x7f', 'malformed'],
    ['https://example.com/\ud800', 'malformed'],
    ['https://exa%6dple.com/', 'malformed'],
    ['https://a..example.com/', 'malformed'],
    ['https://example.com../', 'malformed'],
    ['https://-a.example.com/', 'malformed'],
    [`https://${'a'.repeat(64)}.com/`, 'malformed'],
    [`https://${'a.'.repeat(125)}info/`, 'malformed'],
    ['https://256.1.1.1/', 'malformed'],
    ['https://example.com:65536/', 'malformed'],
    ['https://[fe80::1%25eth0]/', 'malformed'],
    ['https://xn--a/', 'malformed'],
    ['http://example.com/', 'not_https'],
    ['ftp://example.com/', 'not_https'],
    ['javascript://example.com/', 'not_https'],
    ['https://user@example.com/', 'user_info'],
    ['https://user:pass@example.com/', 'user_info'],
    ['https://@example.com/', 'user_info'],
    ['https://example.com:80/', 'port'],
    ['https://example.com:22/', 'port'],
    ['https://example.com:0/', 'port'],
    ['https://example.com:1023/', 'port'],
    ['https://127.0.0.1:25/', 'port'],
  ])('refuses %j as %s, private hosts allowed or not', (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
    expect(reasonOf(text, true)).toBe(reason);
  });

  it.each([
    'https://localhost/',
    'https://LOCALHOST./',
    'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'https://api.localhost/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://router.home.arpa/',
    'https://home.arpa./',
    'https://vault.corp/',
    ...['localdomain', 'intranet', 'lan', 'home', 'private', 'onion'].map(
      (suffix) => `https://vault.${suffix}/`,
    ),
    'https://postgres/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://017700000001/',
    'https://0177.0.0.01/',
    'https://127.0.0.1./',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://0/',
    'https://10.1.2.3/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[fd00:ec2::254]/',
    'https://[2001:db8::1]/',
  ])('blocks %s, unless private hosts are allowed', (text) => {
    expect(reasonOf(text)).toBe('blocked_host');
    expect(reasonOf(text, true)).toBe('ok');
  });

  it('counts 2048 characters, as written and as normalised', () => {
    const start = 'https://example.com/';
    expect(reasonOf(start + 'a'.repeat(maxUrlLength - start.length))).toBe('ok');
    expect(reasonOf(start + 'a'.repeat(maxUrlLength - start.length + 1))).toBe('too_long');
    expect(reasonOf(start + 'ü'.repeat(maxUrlLength / 4))).toBe('too_long');
  });

  it('blocks every private IPv4 address in every spelling', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const privateAddress = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
      fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
    );
    const radix = fc.constantFrom(
      (n: number) => String(n),
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `0${n.toString(8)}`,
    );
    fc.assert(
      fc.property(privateAddress, radix, fc.constantFrom('', '.'), ([a, b, c, d], spell, dot) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const hex = (high: number, low: number) => (high * 256 + low).toString(16);
        const spellings = [
          [a, b, c, d].map(spell).join('.') + dot,
          [a, b, c * 256 + d].map(spell).join('.') + dot,
          [a, (b * 256 + c) * 256 + d].map(spell).join('.') + dot,
          spell(number) + dot,
          `[::ffff:${a}.${b}.${c}.${d}]`,
          `[::${hex(a, b)}:${hex(c, d)}]`,
          `[64:ff9b::${hex(a, b)}:${hex(c, d)}]`,
          `[2002:${hex(a, b)}:${hex(c, d)}::1]`,
          `[2001:470::5efe:${hex(a, b)}:${hex(c, d)}]`,
          `[2001:470::200:5efe:${hex(a, b)}:${hex(c, d)}]`,
        ];
        for (const host of spellings)
          expect(`${host} ${reasonOf(`https://${host}/`)}`).toBe(`${host} blocked_host`);
      }),
    );
  });

  it('never lets a URL through whose host the standard parser reads otherwise', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (text) => {
        const parsed = parseWebhookUrl(text.replace(/^http:/, 'https:'));
        if (parsed.ok) expect(new URL(parsed.url.href).host).toBe(parsed.url.host);
      }),
    );
  });
});

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::5efe:808:808',
    '::ffff:8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    '0.0.0.0',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::ffff:10.0.0.1',
    '::ffff:0:127.0.0.1',
    '100::1',
    '2001:2::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'ff02::1',
    'fe80::1%lo',
    '2606:4700::1111%lo',
    '0177.0.0.1',
    '127.1',
    '2130706433',
    'example.com',
    '',
  ])('%j is not', (address) => expect(isPublicAddress(address)).toBe(false));
});
