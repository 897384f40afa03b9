// Solves the task that the server sets after many wrong passwords from a network: hashes that begin with zeros, see
// src/accounts/proof-of-work.ts. It starts when the page opens, and is often done before the password was typed.

import { announce, prepareAnnouncements } from '../ui/announce.browser.js';

const taskCount = 32;
/** Short enough for the page to respond to keys in between. */
const sliceMs = 30;

const input = document.querySelector('input[data-challenge]');
const { form } = input;
const status = document.getElementById('proof-status');
const bar = status.querySelector('progress');

const firstPrimes = (count) => {
  const primes = [];
  for (let number = 2; primes.length < count; number += 1)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
};
const fractionBits = (value) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const roundConstants = Int32Array.from(firstPrimes(64), (prime) => fractionBits(Math.cbrt(prime)));
const initialState = Int32Array.from(firstPrimes(8), (prime) => fractionBits(Math.sqrt(prime)));
const schedule = new Int32Array(64);

/** The first 32 bits of the SHA-256 hash of one block. Synchronous: crypto.subtle would take most of its time for promises. */
function hashStart(block) {
  for (let index = 0; index < 16; index += 1) schedule[index] = block[index];
  for (let index = 16; index < 64; index += 1) {
    const x = schedule[index - 15];
    const y = schedule[index - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[index] = (schedule[index - 16] + s0 + schedule[index - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = initialState;
  for (let index = 0; index < 64; index += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[index] + schedule[index]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  return (a + initialState[0]) >>> 0;
}

/** The 55 characters `<signature>:<task>:<answer>` with their padding. */
function blockOf(signature, task) {
  const bytes = new Uint8Array(64);
  bytes.set(new TextEncoder().encode(`${signature}:${String(task).padStart(2, '0')}:00000000`));
  bytes[55] = 0x80;
  const words = new DataView(bytes.buffer);
  words.setUint32(60, 55 * 8);
  return Int32Array.from({ length: 16 }, (_, index) => words.getInt32(4 * index));
}

/** Writes the eight digits, the characters 47 to 54, into the block. */
function setAnswer(block, number) {
  let rest = number;
  const digit = () => {
    const last = rest % 10;
    rest = (rest - last) / 10;
    return 0x30 + last;
  };
  const digits = Array.from({ length: 8 }, digit);
  block[11] = (block[11] & ~0xff) | digits[7];
  block[12] = (digits[6] << 24) | (digits[5] << 16) | (digits[4] << 8) | digits[3];
  block[13] = (digits[2] << 24) | (digits[1] << 16) | (digits[0] << 8) | 0x80;
}

const nextSlice = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', resolve, { once: true });
    port1.start();
    port2.postMessage(undefined);
  });

async function solve(challenge) {
  const [, bits, , signature] = challenge.split('.');
  const answers = [];
  let pauseAt = performance.now() + sliceMs;
  for (let task = 0; task < taskCount; task += 1) {
    const block = blockOf(signature, task);
    for (let number = 0; ; number += 1) {
      setAnswer(block, number);
      if (hashStart(block) >>> (32 - bits) === 0) {
        answers.push(String(number).padStart(8, '0'));
        break;
      }
      if (number % 256 === 0 && performance.now() > pauseAt) {
        await nextSlice();
        pauseAt = performance.now() + sliceMs;
      }
    }
    bar.value = answers.length;
  }
  return `${challenge}:${answers.join(',')}`;
}

let isSubmitted = false;
form.addEventListener('submit', (event) => {
  if (input.value !== '') return;
  // Sent when the task is solved.
  event.preventDefault();
  event.stopPropagation();
  isSubmitted = true;
  announce('Still checking your browser. You are signed in when that is done.');
});

prepareAnnouncements();
status.hidden = false;
input.value = await solve(input.dataset.challenge);
status.querySelector('label').textContent = 'Your browser was checked.';
announce('Your browser was checked.');
if (isSubmitted) form.requestSubmit();
