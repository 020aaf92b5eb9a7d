import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseReader } from '../../../src/infrastructure/webhooks/responseReader.ts';

function read(text: string, { bodyless = false, pieces = [text.length] } = {}) {
  const reader = new ResponseReader(bodyless);
  const bytes = Buffer.from(text);
  let start = 0;
  for (const end of [...pieces, bytes.length]) {
    if (end > start) reader.push(bytes.subarray(start, end));
    start = Math.max(start, end);
  }
  const { statusCode, fault, complete, reusable, keepAliveMs } = reader;
  return {
    statusCode,
    fault,
    complete,
    reusable: complete && reusable,
    keepAliveMs,
    excerpt: reader.excerpt(),
  };
}

const clean = (statusCode: number, excerpt = '') => ({
  statusCode,
  fault: null,
  complete: true,
  reusable: true,
  keepAliveMs: null,
  excerpt,
});

const answers: [string, string, Partial<ReturnType<typeof read>>][] = [
  ['a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', clean(200, 'ok')],
  ['an empty body', 'HTTP/1.1 200\r\ncontent-length:0\r\n\r\n', clean(200)],
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n', clean(204)],
  [
    '304, which has the length of what it does not send',
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
    clean(304),
  ],
  [
    'a long header',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(10_000)}\r\nContent-Length: 2\r\n\r\nok`,
    clean(200, 'ok'),
  ],
  ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', clean(200, 'ok')],
  [
    'chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n',
    clean(200, 'abc0123456789'),
  ],
  [
    'interim answers',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n',
    clean(201),
  ],
  [
    'what the server announces',
    'HTTP/1.1 200 OK\r\nKeep-Alive: max=3, timeout=7\r\nContent-Length: 0\r\n\r\n',
    { ...clean(200), keepAliveMs: 7_000 },
  ],
  [
    'a close',
    'HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 0\r\n\r\n',
    { complete: true, reusable: false },
  ],
  [
    'an upgrade that is offered',
    'HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n',
    { complete: true, reusable: false },
  ],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', { complete: true, reusable: false }],
  [
    'bytes behind the end',
    'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 No\r\n\r\n',
    { statusCode: 200, reusable: false },
  ],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    { statusCode: 200, reusable: false },
  ],
  [
    'a length that is none, and one that is',
    'HTTP/1.1 200 OK\r\nContent-Length: x\r\nContent-Length: 2\r\n\r\nab',
    { statusCode: 200, reusable: false },
  ],
  [
    'chunks of chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    { statusCode: 200, reusable: false },
  ],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    { statusCode: 200, reusable: false },
  ],
  [
    'a length that is none',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab',
    { statusCode: 200, complete: false },
  ],
  [
    'a coding that is not chunked',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    { statusCode: 200, reusable: false },
  ],
  [
    'a folded header',
    'HTTP/1.1 200 OK\r\nX: a\r\n Content-Length: 5\r\nContent-Length: 0\r\n\r\n',
    { statusCode: 200, reusable: false },
  ],
  [
    'a header without a colon',
    'HTTP/1.1 200 OK\r\nChunked\r\nContent-Length: 0\r\n\r\n',
    { statusCode: 200, reusable: false },
  ],
  [
    'a header with a space',
    'HTTP/1.1 200 OK\r\nContent-Length : 5\r\nContent-Length: 0\r\n\r\n',
    { statusCode: 200, reusable: false },
  ],
  [
    'a chunk without size',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    { statusCode: 200, fault: null, reusable: false },
  ],
  [
    'a chunk too long',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n',
    { statusCode: 200, fault: null, reusable: false },
  ],
  [
    'a body up to the close',
    'HTTP/1.1 200 OK\r\n\r\nabc',
    { statusCode: 200, complete: false, excerpt: 'abc' },
  ],
  [
    '101',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n',
    { statusCode: 101, complete: true, reusable: false },
  ],
  [
    '101 as far as its status line',
    'HTTP/1.1 101 Switching Protocols\r\n',
    { statusCode: 101, complete: true, reusable: false },
  ],
  ['half a status line', 'HTTP/1.1 200 OK', { statusCode: null, fault: null }],
  ['HTTP/2', 'HTTP/2 200\r\n\r\n', { statusCode: null, fault: 'the answer is not HTTP/1.1' }],
  ['two digits', 'HTTP/1.1 20 OK\r\n\r\n', { statusCode: null, fault: 'the answer is not HTTP/1.1' }],
  ['four digits', 'HTTP/1.1 2000 OK\r\n\r\n', { statusCode: null, fault: 'the answer is not HTTP/1.1' }],
  ['no HTTP', 'hello\r\n', { statusCode: null, fault: 'the answer is not HTTP/1.1' }],
];

describe('ResponseReader', () => {
  it.each(answers)('reads %s', (_name, text, expected) => {
    expect(read(text)).toMatchObject(expected);
  });

  it.each(answers)('reads %s the same byte by byte', (_name, text) => {
    const { reusable: _whole, ...whole } = read(text);
    const { reusable: _split, ...split } = read(text, { pieces: Array.from(text, (_, index) => index) });
    expect(split).toEqual(whole);
  });

  it('reads clean answers the same however they are cut', () => {
    const cleanAnswers = answers.filter(([, , expected]) => expected.reusable === true);
    fc.assert(
      fc.property(fc.constantFrom(...cleanAnswers), fc.array(fc.nat(250)), ([, text, expected], cuts) => {
        expect(read(text, { pieces: cuts.sort((a, b) => a - b) })).toEqual(expected);
      }),
    );
  });

  it('never throws and never calls noise a clean answer', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (chunks) => {
        const reader = new ResponseReader(false);
        for (const chunk of chunks) reader.push(Buffer.from(chunk));
        expect(reader.complete).toBe(false);
      }),
    );
  });

  it('reads no body behind the answer to HEAD', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n', { bodyless: true })).toEqual(clean(200));
  });

  it('keeps 4 KiB of whole characters, without controls, and names a compressed body', () => {
    const answer = (body: string, header = '') => `HTTP/1.1 200 OK\r\n${header}\r\n${body}`;
    expect(read(answer('é'.repeat(5_000))).excerpt).toBe('é'.repeat(2_048));
    expect(read(answer(`a${'é'.repeat(5_000)}`)).excerpt).toBe(`a${'é'.repeat(2_047)}`);
    expect(read(answer('a\0b\x1b[31mc\u202ed\tе\r\nf\rg')).excerpt).toBe('ab[31mcd\tе\nf\ng');
    expect(read(answer('\x1f\x8bxyz', 'Content-Encoding: gzip\r\n')).excerpt).toBe(
      '(compressed body, not decoded)',
    );
    const invalid = new ResponseReader(false);
    invalid.push(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(10_000, 0xff)]));
    expect(Buffer.byteLength(invalid.excerpt())).toBeLessThanOrEqual(4_096);
    expect(invalid.excerpt()).toMatch(/^\ufffd+$/);
  });
});
