import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';

/** What is prepared once and sent again and again: the attacker must cost less than what it attacks. */
export interface Attack {
  port: number;
  seconds: number;
  /** As bytes in base64. */
  request: string;
  /** Whether each `#` becomes a digit of a number that grows, so that no cache has the response. */
  isNumbered?: boolean;
  /** So many connections, each with so many requests written at once. */
  connections: number;
  pipelined: number;
  /** Requests a second over all connections; connections that are closed are opened again at this rate. */
  perSecond: number;
  /** A connection is read until the first answer, or not at all and left after this time: a cut is not seen without reading. */
  leaveAfterMs?: number;
  /** Loopback addresses to come from, one after the other, beginning with 127.0.`network`.1. */
  addresses: number;
  network?: number;
}

const numberSign = 0x23;
const zero = 0x30;

// An attacker elsewhere would not take processor time from the service.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
// Nobody is left to attack for.
process.once('disconnect', () => process.exit());
process.on('message', (attacks: Attack[]) => {
  let underWay = attacks.length;
  for (const attack of attacks)
    run(attack, () => {
      underWay -= 1;
      if (underWay === 0) process.send?.('done');
    });
});
process.send?.('ready');

function run(attack: Attack, onEnd: () => void): void {
  const { port, connections, pipelined, perSecond, leaveAfterMs, addresses, network = 0 } = attack;
  const bytes = Buffer.concat(Array(pipelined).fill(Buffer.from(attack.request, 'base64')));
  const digits = attack.isNumbered ? [...bytes.keys()].filter((index) => bytes[index] === numberSign) : [];
  const endsAt = Date.now() + attack.seconds * 1000;
  const open = new Set<Socket>();
  let sent = 0;

  function send(): void {
    if (open.size >= connections) return;
    sent += 1;
    const localAddress = `127.0.${network}.${1 + (sent % addresses)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    open.add(socket);
    const close = () => socket.destroy();
    socket.once('connect', () => socket.write(numbered()));
    socket.once('error', close);
    socket.once('close', () => open.delete(socket));
    if (leaveAfterMs === undefined) {
      socket.once('data', close).once('end', close);
    } else {
      socket.pause();
      setTimeout(close, leaveAfterMs).unref();
    }
  }

  // Not a number that an earlier round has sent.
  let number = Date.now();

  function numbered(): Buffer {
    if (digits.length === 0) return bytes;
    const request = Buffer.from(bytes);
    number += 1;
    let rest = number;
    for (const index of digits.toReversed()) {
      request[index] = zero + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    return request;
  }

  const startedAt = Date.now();
  let due = 0;
  const ticking = setInterval(() => {
    const wanted = Math.floor(((Date.now() - startedAt) / 1000) * perSecond);
    for (; due < wanted; due += 1) send();
    if (Date.now() < endsAt) return;
    clearInterval(ticking);
    for (const socket of open) socket.destroy();
    onEnd();
  }, 10);
}
