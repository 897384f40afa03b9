/** What a hash of a password costs whoever makes it: kibibytes, passes and lanes of Argon2id. */
export interface HashCost {
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/** OWASP's recommendation: 19 MiB, two passes, one lane. */
export const recommendedCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The hash of a random password that nobody knows, to be checked at the same cost. */
export function unknownHash({ memoryCost, timeCost, parallelism }: HashCost): string {
  const cost = `m=${memoryCost},t=${timeCost},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$nB9AT9yFgZh69cqLeFxwZQ$bwsOIB4qgTYpPmbL5NNBWqHhKigt/QTppJEu8tR4z+M`;
}
