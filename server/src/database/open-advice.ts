interface Failure {
  code?: string;
  message: string;
}

const USER = 'Check user and password in its address, and that this user may connect to it.';

const CERTIFICATE =
  'Set NODE_EXTRA_CA_CERTS, or sslrootcert in its address, to the certificate of its authority.';

const POOLER =
  'A pooler such as PgBouncer is in between: take this parameter out of the address of the database.';

const SCHEMA_BEHIND_POOLER =
  'A pooler such as PgBouncer is in between. For a schema of its own, set the search_path of the user instead (alter role <user> set search_path = <schema>), and take options out of the address.';

const MIGRATE =
  'With the address of the user who owns the tables, run: npx --no -- service-pay migrate --grant-to <user>';

/** Advice by the error's message, for codes with several causes. */
const BY_MESSAGE: [pattern: RegExp, advice: string][] = [
  [/^unsupported startup parameter.*\b(?:options|search_path)/, SCHEMA_BEHIND_POOLER],
  [/^unsupported startup parameter/, POOLER],
  [
    /for schema (\S+)/,
    `As its owner, run: grant usage, create on schema $1 to <user>; Or let another user own the tables. ${MIGRATE}`,
  ],
  [/for database (\S+)/, 'As its owner, run: grant connect on database $1 to <user>;'],
  [/for (?:table|view)|^must be owner of/, `Its tables belong to another user. ${MIGRATE}`],
  [
    /no encryption|SSL off/,
    'Add sslmode=verify-full to its address, or allow the host in pg_hba.conf.',
  ],
  [
    /does not support SSL/,
    'Turn TLS on at the server, or take sslmode and ssl out of its address.',
  ],
];

const BY_CODE: Record<string, string> = {
  '28000': USER,
  '28P01': USER,
  '3F000': `Its search_path must name a schema that exists and that this user may use: create schema <schema>; grant usage on schema <schema> to <user>; Then let the user create tables there (grant create on schema <schema> to <user>;), or another one own them. ${MIGRATE}`,
  '3D000': 'Create it with create database, or correct the name in its address.',
  '53300':
    'Close other connections, or allow more: each instance of the shop uses up to ten (max_connections, and the limit of the user).',
  '57P03': 'Try again in a moment: it starts or stops.',
  ECONNREFUSED: 'Nothing listens there: start PostgreSQL, or correct host and port in its address.',
  ENOTFOUND: 'There is no such host: correct it in its address.',
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  CERT_HAS_EXPIRED: 'Renew the certificate of the server, and check the clock of this machine.',
  ERR_DLOPEN_FAILED:
    'Its driver was built for another Node: run npm install better-sqlite3@13, which is built for all.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use the host name that its certificate names.',
};

/** Returns advice on an error while opening a database, if there is any beyond "check it". */
export function findOpenAdvice(error: unknown): string | undefined {
  const { code = '', message } = error as Failure;
  for (const [pattern, advice] of BY_MESSAGE) {
    const found = pattern.exec(message);
    if (found) return advice.replace('$1', found[1] ?? '');
  }
  return BY_CODE[code];
}
