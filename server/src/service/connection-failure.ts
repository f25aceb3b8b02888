const NO_PATH =
  'A firewall may be in the way, or a proxy is needed: set HTTPS_PROXY, and NODE_USE_ENV_PROXY=1.';

/** Causes of failed connections and what to do, by error code (T133). */
const CAUSES: [codes: RegExp, words: string][] = [
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired.'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet. Check the clock of this machine.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host. Check the address.'],
  [
    /CERT|UNABLE_TO_(?:GET|VERIFY)/,
    'its certificate is not trusted. If its authority is a private one, set NODE_EXTRA_CA_CERTS to the file with its certificate.',
  ],
  [
    /^(?:EPROTO|ERR_SSL_.*)$/,
    'it does not speak TLS there. Check the address: http or https, and the port.',
  ],
  [/^(?:ENOTFOUND|EAI_.*)$/, `the host is not known. Check the address, and DNS. ${NO_PATH}`],
  [/^ECONNREFUSED$/, 'nothing listens there. Check the address and the port.'],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    `no connection came about. ${NO_PATH}`,
  ],
];

/** Describes an error of `undici` in a sentence with its code. */
export function describeConnectionFailure(error: unknown): string {
  const codes = codesOf(error);
  const proxyStatus = /^Proxy response \((\d+)\)/.exec(`${Object(error).message}`)?.[1];
  if (proxyStatus)
    return `the proxy of HTTPS_PROXY or HTTP_PROXY rejected the connection with ${proxyStatus}. Check its address, and the user and password in it.`;
  for (const [pattern, words] of CAUSES) {
    const code = codes.find((one) => pattern.test(one));
    if (code) return `${code}: ${words}`;
  }
  const [code = 'no code'] = codes;
  return `${code}: the connection broke off.`;
}

function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code } = error as NodeJS.ErrnoException;
  const own = typeof code === 'string' ? [code] : [];
  return [...own, ...codesOf(error.cause)];
}
