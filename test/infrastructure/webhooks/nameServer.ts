import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { dnsLookup } from '../../../src/infrastructure/webhooks/resolver.ts';
import { ownPort } from '../../harness/ownPort.ts';

/** Longer than any test may take: whoever waits for it fails. */
export const endlessMs = 1_000_000;

/**
 * A name server on loopback that gives the same records for every name, and answers questions of the type `silentOn` only
 * once it is told to speak.
 */
export async function nameServer(records: Records | 'silent' | 'truncated', silentOn?: number) {
  const socket = createSocket('udp4');
  let questions = 0;
  const held: (() => void)[] = [];
  socket.on('message', (question, from) => {
    questions += 1;
    if (records === 'silent') return;
    const reply = records === 'truncated' ? truncatedAnswer(question) : dnsAnswer(question, records);
    const speak = () => socket.send(reply, from.port, from.address);
    if (typeOf(question) === silentOn) held.push(speak);
    else speak();
  });
  // Who asks over UDP may have to ask again over TCP, at the same port.
  const port = await ownPort();
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  let isThere = true;
  const leave = () => {
    if (isThere) socket.close();
    isThere = false;
  };
  onTestFinished(leave);
  return {
    port,
    leave,
    lookup: dnsLookup(endlessMs, [`127.0.0.1:${port}`]),
    asked: () => questions,
    speak: () => held.forEach((speak) => void speak()),
  };
}

interface Records {
  A?: string[];
  AAAA?: string[];
}

const typeOf = (question: Buffer): number => question.readUInt16BE(question.indexOf(0, 12) + 1);

/** Addresses do not fit (TC); of any other type there is no such name (NXDOMAIN). */
function truncatedAnswer(question: Buffer): Buffer {
  const areAddresses = typeOf(question) === 1 || typeOf(question) === 28;
  const flags = areAddresses ? [0x83, 0x80] : [0x81, 0x83];
  const head = Buffer.from([...question.subarray(0, 2), ...flags, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, question.subarray(12, question.indexOf(0, 12) + 5)]);
}

/** RFC 1035 §4: the question repeated, and one record for each address of the type asked for. */
function dnsAnswer(question: Buffer, records: Records): Buffer {
  const nameEnd = question.indexOf(0, 12);
  const type = typeOf(question);
  const addresses = (type === 1 ? records.A : records.AAAA) ?? [];
  const head = Buffer.concat([
    question.subarray(0, 2),
    Buffer.from([0x81, 0x80, 0, 1, 0, addresses.length, 0, 0, 0, 0]),
  ]);
  const resources = addresses.map((address) => {
    const data = Buffer.from(type === 1 ? address.split('.').map(Number) : ipv6Bytes(address));
    return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
  });
  return Buffer.concat([head, question.subarray(12, nameEnd + 5), ...resources]);
}

function ipv6Bytes(address: string): number[] {
  const [left, right] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = [...left!, ...Array(8 - left!.length - right!.length).fill('0'), ...right!];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}
