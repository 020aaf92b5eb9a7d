import { expect, it } from 'vitest';
import { urlOf } from '../../../src/infrastructure/http/listening.ts';

it.each([
  ['0.0.0.0', 'http://localhost:4000'],
  ['::', 'http://localhost:4000'],
  ['127.0.0.1', 'http://127.0.0.1:4000'],
  ['::1', 'http://[::1]:4000'],
])('a server that listens on %s is found at %s', (host, url) => expect(urlOf(host, 4000)).toBe(url));
