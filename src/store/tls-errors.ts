interface TlsError {
  reason: string;
  remedy: string;
}

const ownAuthority =
  'Add sslmode=verify-full&sslrootcert=/path/to/ca.pem to DATABASE_URL, with the certificate of the authority that signed it.';

const unknownAuthority: TlsError = {
  reason: 'its certificate is of an authority that this machine does not know',
  remedy: ownAuthority,
};

/** By the code of Node's error. */
const tlsErrors: Record<string, TlsError> = {
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_HAS_EXPIRED: { reason: 'its certificate has expired', remedy: 'Renew it on the server.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'its certificate is for another host name',
    remedy: 'Set DATABASE_URL to a name that the certificate has, or have one made for this name.',
  },
};

const noTls: TlsError = {
  reason: 'it does not speak TLS, which sslmode asks for',
  remedy:
    'Set ssl = on in postgresql.conf, or leave sslmode out of DATABASE_URL where the network is trusted.',
};

/** What is wrong with the encryption of a connection to PostgreSQL, and what to do. */
export function tlsError(error: Error): TlsError | undefined {
  // pg's own words, which have no code.
  if (error.message.includes('server does not support SSL connections')) return noTls;
  return 'code' in error && typeof error.code === 'string' ? tlsErrors[error.code] : undefined;
}
