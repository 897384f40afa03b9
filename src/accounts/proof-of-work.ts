import { createHash, randomBytes } from 'node:crypto';
import type { ServiceSecrets } from './secrets.ts';

/** Many small tasks instead of a large one: the time that they take varies less, and a browser can show its progress. */
const taskCount = 32;
/** Leading zero bits of each hash, by level: 0.5, 1, 2 and 4 million hashes in all, of which a browser makes about a million a second. */
const bitsOfLevel = [14, 15, 16, 17];
export const maxProofLevel = bitsOfLevel.length - 1;
const lifetimeMs = 10 * 60_000;

type Signing = Pick<ServiceSecrets, 'signProof' | 'isProofSignature'>;

/** What a proof is good for: nothing else accepts it. */
export interface ProofBinding {
  /** Hashes. */
  address: string;
  email: string;
}

const challengePattern = /^([\da-z]{8,9})\.(\d\d)\.([\w-]{16})\.([\w-]{43})$/;
const answerPattern = /^\d{8}$/;
/** A challenge, and its answers separated by commas. */
const maxProofLength = 500;

const signedText = (terms: string, { address, email }: ProofBinding) => `${terms} ${address} ${email}`;

/** `<time of expiry>.<bits>.<random id>.<signature>`. Nothing is stored for it. */
export function createProofChallenge(
  secrets: Signing,
  binding: ProofBinding,
  level: number,
  now: Date,
): string {
  const expiresAt = (now.getTime() + lifetimeMs).toString(36);
  const bits = bitsOfLevel[Math.min(level, maxProofLevel)];
  const terms = `${expiresAt}.${bits}.${randomBytes(12).toString('base64url')}`;
  return `${terms}.${secrets.signProof(signedText(terms, binding))}`;
}

/** The challenge that was solved. */
interface Proof {
  id: string;
  level: number;
}

/**
 * Undefined where the proof is none. Takes 33 hashes at most. Whoever accepts it must make sure that each id is accepted once,
 * and that its level is still enough.
 */
export function checkProof(
  secrets: Signing,
  binding: ProofBinding,
  proof: string,
  now: Date,
): Proof | undefined {
  if (proof.length > maxProofLength) return undefined;
  const [challenge = '', list = ''] = proof.split(':');
  const [, expiresAt = '', bits = '', id = '', signature = ''] = challengePattern.exec(challenge) ?? [];
  const terms = `${expiresAt}.${bits}.${id}`;
  if (signature === '' || !secrets.isProofSignature(signature, signedText(terms, binding))) return undefined;
  if (Number.parseInt(expiresAt, 36) <= now.getTime()) return undefined;
  const answers = list.split(',');
  const isSolved =
    answers.length === taskCount &&
    answers.every(
      (answer, task) => answerPattern.test(answer) && isAnswer(signature, task, answer, Number(bits)),
    );
  return isSolved ? { id, level: bitsOfLevel.indexOf(Number(bits)) } : undefined;
}

/** The hashed text has 55 characters, which fit into one block of SHA-256. proof.browser.js builds the same. */
function isAnswer(signature: string, task: number, answer: string, bits: number): boolean {
  const hash = createHash('sha256')
    .update(`${signature}:${String(task).padStart(2, '0')}:${answer}`)
    .digest();
  return hash.readUInt32BE(0) >>> (32 - bits) === 0;
}
