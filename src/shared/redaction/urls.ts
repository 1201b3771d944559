/** Finds secrets in addresses: user info, keys of node providers, webhooks. Queries are handled by named-values.ts. */
import { englishness, isPlaceholder, isRandom, isRandomToken, isUuid } from './judge.ts';
import { type Finder, markEnd, type SecretKind, type SecretMatch } from './marks.ts';

const urlHints = /(?::|(?<![\w.:\\/]))\\*\/\\*\/|%(?:25){0,3}3A%(?:25){0,3}2F%(?:25){0,3}2F/gi;

const authority = /[^\s/\\?#"'`<>,]{0,512}/y;
/** Up to the query, or to another address. */
const path = /[^\s"'`<>|^{}?#:]{0,512}(?::(?![\\/])[^\s"'`<>|^{}?#:]{0,512}){0,2}/y;
const encodedUserInfo = /[^\s%&"']{0,100}%(?:25){0,3}3A([^\s&"'@]{1,200}?)%(?:25){0,3}40/iy;
/** A password may contain characters that normally end an authority: `user:p/w?d@host`. */
const looseUserInfo = /[\w.%+\\-]{1,64}:(?!\d{1,5}(?:[/?#\s]|$))([^\s"'`<>,;]{1,100})@[\w[]/y;

/** Hosts of node providers: their paths contain the key. */
const providers =
  /(?:^|[.-])(?:alchemy(?:api)?|infura|quiknode|quicknode|ankr|chainstack|p2pify|blastapi|drpc|getblock|nodereal|blockpi|moralis(?:-nodes)?|tenderly|llamarpc|llamanodes|rpcpool|helius(?:-rpc)?|onfinality|omniatech|nownodes|dwellir|pokt|grove|validationcloud|thirdweb|1rpc|zan|rivet|figment|blockdaemon|allthatnode|bwarelabs|syndica|extrnode|shyft|pimlico|biconomy|gelato|stackup|particle|chainnodes|blxrbdn|bloxroute|merkle|flashbots|tatum|cryptoapis|covalenthq|unifra|rockx|nodies|lava(?:net)?|subquery|publicnode|spectrumnodes|chainbase|datahub|watchdata|ironforge|hellomoon|tritonone|everstake|coinbase|ethereumnodelight|conduit|caldera|thegraph|dune|alchemyapi)\./i;
/** Labels of other hosts that serve a chain. */
const nodeHost =
  /(?:^|[.-])(?:rpc|node|nodes|mainnet|testnet|sepolia|holesky|goerli|devnet|archive|erigon|geth|evm)\d{0,2}(?=[.:-])/i;
/** Addresses that take pings, events and logs; a key in the path is the only protection. */
const receiverHost =
  /(?:^|\.)(?:hc-ping|events\.pagerduty|alert\.victorops|loggly|sumologic|cronitor|nosnch|betterstack|uptimerobot)\./;
const hookPath = /(?:^|[/.-])(?:web)?hooks?(?=[/.-]|$)/i;
const botPath = /^bot\d{6,12}:/;

function findInUrl(text: string, { index: at, 0: hint }: RegExpExecArray): readonly SecretMatch[] {
  const start = at + hint.length;
  if (hint.startsWith('%')) return findEncoded(text, start);
  const host = matchAt(authority, text, start);
  return [...userInfo(text, start, host), ...pathKeys(text, start, host, schemeOf(text, at))];
}

/** A segment that names the next one: `/key/abc…`. After a plural comes an id. */
const pathHints =
  /\/(?:api[_-]?key|key|(?:access|auth|api)?[_-]?token|secret|pat|rpc|(?:reset|magic|invit|verif|confirm|activat|unsubscribe|recover|login|signin|sso)[\w-]{0,15})\/(?=[\w.~-]{16})/gi;
const pathSegment = /[\w.~%=-]{16,512}/y;

function findInPath(text: string, { index, 0: hint }: RegExpExecArray): readonly SecretMatch[] {
  const start = index + hint.length;
  const segment = matchAt(pathSegment, text, start).replace(/(?<![.:])[.:]+$/, '');
  return isNodeKey(segment) ? masked('API key', text, start, start + segment.length) : [];
}

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}

function schemeOf(text: string, at: number): string {
  return /[a-z]{2,10}$/i.exec(text.slice(Math.max(0, at - 10), at))?.[0].toLowerCase() ?? '';
}

function findEncoded(text: string, start: number): readonly SecretMatch[] {
  encodedUserInfo.lastIndex = start;
  const secret = encodedUserInfo.exec(text)?.[1];
  if (secret === undefined) return [];
  const end = text.lastIndexOf('%', encodedUserInfo.lastIndex - 1);
  return masked('password', text, end - secret.length, end);
}

function userInfo(text: string, start: number, host: string): readonly SecretMatch[] {
  const sign = host.lastIndexOf('@');
  if (sign === -1) {
    looseUserInfo.lastIndex = start;
    const secret = looseUserInfo.exec(text)?.[1];
    const end = looseUserInfo.lastIndex - 2;
    return secret === undefined ? [] : masked('password', text, end - secret.length, end);
  }
  const info = host.slice(0, sign);
  // A public key is the name of a node of Ethereum.
  if (/^[0-9a-f]{128}$/.test(info)) return [];
  const colon = info.indexOf(':');
  if (colon !== -1) return masked('password', text, start + colon + 1, start + sign);
  return isRandomToken(info, 16) || isUuid(info) ? masked('password', text, start, start + sign) : [];
}

function pathKeys(text: string, start: number, host: string, scheme: string): readonly SecretMatch[] {
  const name = host.slice(host.lastIndexOf('@') + 1).toLowerCase();
  const from = start + host.length;
  const pathText = matchAt(path, text, from);
  if (/(?:^|\.)hooks\.slack(?:-gov)?\.com$/.test(name)) return slackHook(text, from, pathText);
  const isProvider = providers.test(`${name}.`);
  const isNode = isProvider || /^wss?$/.test(scheme) || nodeHost.test(`${name}.`);
  const isKey = isProvider ? isProviderKey : isNodeKey;
  if (receiverHost.test(`${name}.`)) return findSegments(text, from, pathText, 'webhook', isHookId);
  if (/^hooks?\./.test(name)) return findSegments(text, from, pathText, 'webhook', isHookKey);
  if (hookPath.test(name) || hookPath.test(pathText)) return findSegments(text, from, pathText, 'webhook', isHookId);
  if (!isNode) return findSegments(text, from, pathText, 'API key', (segment) => botPath.test(segment));
  const label = findSegments(text, from - name.length, name.split('.', 1)[0] ?? '', 'API key', isNodeKey);
  return [...label, ...findSegments(text, from, pathText, 'API key', isKey)];
}

function slackHook(text: string, start: number, pathText: string): readonly SecretMatch[] {
  const service = /^\\?\/[A-Za-z]{1,20}\\?\//.exec(pathText)?.[0] ?? '/';
  const secret = /^[A-Za-z0-9/\\]{8,200}/.exec(pathText.slice(service.length))?.[0];
  const from = start + service.length;
  return secret === undefined
    ? []
    : masked('Slack webhook', text, from, from + secret.replace(/(?<![/\\])[/\\]+$/, '').length);
}

function findSegments(
  text: string,
  start: number,
  pathText: string,
  kind: SecretKind,
  isSecret: (segment: string) => boolean,
): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const match of pathText.matchAll(/[^/\\,;)]+/g)) {
    const segment = match[0].replace(/(?<![.:])[.:]+$/, '');
    const from = start + match.index;
    if (isSecret(segment)) found.push(...masked(kind, text, from, from + segment.length));
  }
  return found;
}

function isNodeKey(segment: string): boolean {
  return (
    segment.length >= 16 && !/^0x/i.test(segment) && (isRandomToken(segment, 16) || /^[0-9a-f]{32,}$/i.test(segment))
  );
}

function isProviderKey(segment: string): boolean {
  return (
    isUuid(segment) || isNodeKey(segment) || (segment.length >= 20 && !segment.startsWith('0x') && isRandom(segment))
  );
}

function isHookKey(segment: string): boolean {
  return (
    isHookId(segment) || (/^[A-Za-z0-9_-]{6,}$/.test(segment) && (/\d/.test(segment) || englishness(segment) < 0.7))
  );
}

function isHookId(segment: string): boolean {
  return (
    isUuid(segment.split('@')[0] ?? '') ||
    isRandomToken(segment, 8) ||
    (/^[A-Za-z0-9_-]{40,}$/.test(segment) && /\d/.test(segment))
  );
}

function masked(kind: SecretKind, text: string, start: number, end: number): readonly SecretMatch[] {
  const written = text.slice(start, end);
  if (end <= start || markEnd(text, start) === end || (isPlaceholder(written) && /^[*x<${%[]/.test(written))) return [];
  return [{ kind, start, end }];
}

export const urlFinders: readonly Finder[] = [
  { hints: urlHints, find: findInUrl },
  { hints: pathHints, find: findInPath },
];
