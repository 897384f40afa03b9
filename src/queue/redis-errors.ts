/**
 * Errors of a server that is no longer a primary. Its address may resolve to the new primary by now, but an open
 * connection never finds out. Errors from Lua scripts have the code somewhere in their message.
 */
export function needsNewConnection({ message }: Error): boolean {
  return /\b(READONLY|MASTERDOWN|UNBLOCKED)\b/.test(message);
}

interface Problem {
  problem: string;
  remedy: string;
}

const untrusted: Problem = {
  problem: 'the certificate of Redis is not trusted',
  remedy: 'Set REDIS_CA_FILE to a PEM file with the certificate of the authority that signed it.',
};
const outdated: Problem = {
  problem: 'the certificate of Redis has expired or is not valid yet',
  remedy: 'Renew the certificate, or correct the clock of this machine.',
};
const byCode: Record<string, Problem> = {
  CERT_HAS_EXPIRED: outdated,
  CERT_NOT_YET_VALID: outdated,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    problem: 'the certificate of Redis is for another host',
    remedy:
      'Use a host name of the certificate in REDIS_URL. A cluster or sentinels must announce such names as well.',
  },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_UNTRUSTED: untrusted,
};

/** What an operator can do about a connection that failed because of TLS. */
export function tlsProblem(error: unknown): Problem | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return byCode[code];
}
