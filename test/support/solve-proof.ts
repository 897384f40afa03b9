import { hash } from 'node:crypto';

/** Does what proof.browser.js does, without its code. */
export function solveProof(challenge: string): string {
  const [, bits, , signature] = challenge.split('.');
  const isAnswer = (text: string) =>
    Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16) < 2 ** (32 - Number(bits));
  const answers = Array.from({ length: 32 }, (_, task) => {
    for (let number = 0; ; number += 1) {
      const answer = String(number).padStart(8, '0');
      if (isAnswer(`${signature}:${String(task).padStart(2, '0')}:${answer}`)) return answer;
    }
  });
  return `${challenge}:${answers.join(',')}`;
}

/** The challenge of a sign-in page, or undefined where no proof is asked for. */
export const challengeIn = (html: string) => /data-challenge="([^"]+)"/.exec(html)?.[1];
