interface TlsError {
  reason: string;
  remedy: string;
}

const addAuthority =
  'Add sslmode=verify-full&sslrootcert=/path/to/ca.pem to DATABASE_URL, with the certificate of the authority that signed it.';

const unknownAuthority: TlsError = {
  reason: 'its certificate was issued by an authority that this machine does not know',
  remedy: addAuthority,
};

/** By the code of Node's error. */
const tlsErrors: Record<string, TlsError> = {
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_NOT_YET_VALID: {
    reason: 'its certificate is not valid yet',
    remedy: 'Correct the clock of this machine, or wait until the certificate is valid.',
  },
  CERT_HAS_EXPIRED: { reason: 'its certificate has expired', remedy: 'Renew it on the server.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'its certificate is for another host name',
    remedy: 'Set DATABASE_URL to a host name in the certificate, or get a certificate for this name.',
  },
};

const noTls: TlsError = {
  reason: 'it does not support TLS, which sslmode requires',
  remedy: 'Set ssl = on in postgresql.conf, or remove sslmode from DATABASE_URL if the network is trusted.',
};

/** Explains why a TLS connection to PostgreSQL failed; undefined for any other error. */
export function tlsError(error: Error): TlsError | undefined {
  // pg's own error, which has no code.
  if (error.message.includes('server does not support SSL connections')) return noTls;
  return 'code' in error && typeof error.code === 'string' ? tlsErrors[error.code] : undefined;
}
