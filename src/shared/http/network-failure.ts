/** Classifies failed HTTP requests by the codes of Node and undici, in one table for every client. */

/**
 * `not_sent`: there was no connection, so no byte of the request was sent. `cut`: the connection broke. `timeout`: the
 * connection was silent. `unknown`: the code is not in the table.
 */
export type NetworkFailure = {
  readonly kind: 'not_sent' | 'cut' | 'timeout' | 'unknown';
  /** Code of Node or undici; safe to log. */
  readonly code: string | undefined;
  /** True for a failure that passes by itself, so that a retry within a second is worth it. */
  readonly isTransient: boolean;
};

type Row = Pick<NetworkFailure, 'kind' | 'isTransient'>;
const busy: Row = { kind: 'not_sent', isTransient: true };
const closed: Row = { kind: 'not_sent', isTransient: false };
const cut: Row = { kind: 'cut', isTransient: true };
const silent: Row = { kind: 'timeout', isTransient: false };

const table: readonly (readonly [Row, codes: string])[] = [
  // The resolver, the network or this machine lacks resources at the moment.
  [
    busy,
    `EAI_AGAIN EAI_CANCELED EAI_MEMORY EAI_SYSTEM
    EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH
    EADDRNOTAVAIL EMFILE ENFILE ENOBUFS`,
  ],
  // No such name, no listener, an untrusted certificate, a firewall.
  [
    closed,
    `EAI_FAIL EAI_NODATA EAI_NONAME ENODATA ENOTFOUND
    EAFNOSUPPORT ECONNREFUSED UND_ERR_CONNECT_TIMEOUT
    CERT_CHAIN_TOO_LONG CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REJECTED CERT_REVOKED CERT_UNTRUSTED
    DEPTH_ZERO_SELF_SIGNED_CERT ERR_TLS_CERT_ALTNAME_INVALID INVALID_CA SELF_SIGNED_CERT_IN_CHAIN
    UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE`,
  ],
  // The request may have arrived.
  [
    cut,
    `ECONNABORTED ECONNRESET ENOTCONN EPIPE
    ERR_STREAM_PREMATURE_CLOSE UND_ERR_RES_CONTENT_LENGTH_MISMATCH UND_ERR_SOCKET`,
  ],
  [silent, 'ESOCKETTIMEDOUT ETIMEDOUT UND_ERR_ABORTED UND_ERR_BODY_TIMEOUT UND_ERR_HEADERS_TIMEOUT'],
];

const rows = new Map(table.flatMap(([row, codes]) => codes.split(/\s+/).map((code) => [code, row] as const)));

/** System calls before there is a connection. */
const connecting = /^(?:connect|getaddrinfo|query[A-Z][A-Za-z]*)$/;
/** System calls on a connection: the same code means that the network failed after the request may have been sent. */
const transferCalls = /^(?:read|write|shutdown)$/;

/**
 * @param thrown by undici or by a client on top of it; only its codes are read, since messages may contain parts of the
 *   request
 */
export function readNetworkFailure(thrown: unknown): NetworkFailure {
  for (let error = thrown, depth = 0; isError(error) && depth < 5; error = error.cause, depth += 1) {
    const { code } = error;
    if (typeof code !== 'string' || code.startsWith('slack_')) continue;
    const row = rows.get(code) ?? { kind: 'unknown', isTransient: false };
    const phase = phaseOf(error);
    if (phase === 'connecting') return { code, kind: 'not_sent', isTransient: row.isTransient };
    if (phase === 'under_way' && row.kind === 'not_sent') return { code, ...cut };
    return { code, ...row };
  }
  return { code: undefined, kind: 'unknown', isTransient: false };
}

type Coded = {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly syscall?: unknown;
  readonly errors?: unknown;
};

function isError(value: unknown): value is Coded {
  return typeof value === 'object' && value !== null;
}

/** For a host with several addresses, `errors` has every attempt. */
function phaseOf({ syscall, errors }: Coded): 'connecting' | 'under_way' | undefined {
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((one) => isError(one) && phaseOf(one) === 'connecting') ? 'connecting' : undefined;
  }
  if (typeof syscall !== 'string') return undefined;
  if (connecting.test(syscall)) return 'connecting';
  return transferCalls.test(syscall) ? 'under_way' : undefined;
}
