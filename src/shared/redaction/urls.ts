/** Finds secrets in addresses: user info, keys of node providers, webhooks. Queries are left to the names in them. */
import type { Finding } from './finding.ts';
import { isPlaceholder, isRandom, isRandomToken, isUuid } from './judge.ts';
import { englishness } from './letters.ts';
import { type Kind, markEnd } from './marks.ts';

export const urlHints = /:\\*\/\\*\/|%3A%2F%2F/gi;

const authority = /[^\s/\\?#"'`<>,]{0,512}/y;
/** Up to the query, or to another address. */
const path = /[^\s"'`<>|^{}?#:]{0,512}(?::(?![\\/])[^\s"'`<>|^{}?#:]{0,512}){0,2}/y;
const encodedUserInfo = /[^\s%&"']{0,100}%3A([^\s&"'@]{1,200}?)%40/iy;
/** A password may hold what ends an authority elsewhere: `user:p/w?d@host`. */
const looseUserInfo = /[\w.%+-]{1,64}:(?!\d{1,5}(?:[/?#\s]|$))([^\s"'`<>,;]{1,100})@[\w[]/y;

/** Hosts of node providers: their paths hold the key. */
const providers =
  /(?:^|[.-])(?:alchemy(?:api)?|infura|quiknode|quicknode|ankr|chainstack|p2pify|blastapi|drpc|getblock|nodereal|blockpi|moralis(?:-nodes)?|tenderly|llamarpc|llamanodes|rpcpool|helius(?:-rpc)?|onfinality|omniatech|nownodes|dwellir|pokt|grove|validationcloud|thirdweb|1rpc|zan|rivet|figment|blockdaemon|allthatnode|bwarelabs|syndica|extrnode|shyft|pimlico|biconomy|gelato|stackup|particle|chainnodes|blxrbdn|bloxroute|merkle|flashbots|tatum|cryptoapis|covalenthq|unifra|rockx|nodies|lava(?:net)?|subquery|publicnode|spectrumnodes|chainbase|datahub|watchdata|ironforge|hellomoon|tritonone|everstake|coinbase|ethereumnodelight|conduit|caldera|alchemyapi)\./i;
/** Labels of other hosts that serve a chain. */
const nodeHost =
  /(?:^|[.-])(?:rpc|node|nodes|mainnet|testnet|sepolia|holesky|goerli|devnet|archive|erigon|geth|evm)\d{0,2}(?=[.:-])/i;
const hookPath = /(?:^|[/.-])(?:web)?hooks?(?=[/.-]|$)/i;
const botPath = /^bot\d{6,12}:/;

export function findInUrl(text: string, { index: at, 0: hint }: RegExpExecArray): readonly Finding[] {
  const start = at + hint.length;
  if (hint.startsWith('%')) return findEncoded(text, start);
  const host = matchAt(authority, text, start);
  return [...userInfo(text, start, host), ...pathKeys(text, start, host, schemeOf(text, at))];
}

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}

function schemeOf(text: string, at: number): string {
  return /[a-z]{2,10}$/i.exec(text.slice(Math.max(0, at - 10), at))?.[0].toLowerCase() ?? '';
}

function findEncoded(text: string, start: number): readonly Finding[] {
  encodedUserInfo.lastIndex = start;
  const secret = encodedUserInfo.exec(text)?.[1];
  if (secret === undefined) return [];
  const end = encodedUserInfo.lastIndex - '%40'.length;
  return masked('password', text, end - secret.length, end);
}

function userInfo(text: string, start: number, host: string): readonly Finding[] {
  const sign = host.lastIndexOf('@');
  if (sign === -1) {
    looseUserInfo.lastIndex = start;
    const secret = looseUserInfo.exec(text)?.[1];
    const end = looseUserInfo.lastIndex - 2;
    return secret === undefined ? [] : masked('password', text, end - secret.length, end);
  }
  const info = host.slice(0, sign);
  const colon = info.indexOf(':');
  if (colon !== -1) return masked('password', text, start + colon + 1, start + sign);
  return isRandomToken(info, 16) ? masked('password', text, start, start + sign) : [];
}

function pathKeys(text: string, start: number, host: string, scheme: string): readonly Finding[] {
  const name = host.slice(host.lastIndexOf('@') + 1).toLowerCase();
  const from = start + host.length;
  const parts = matchAt(path, text, from);
  if (/(?:^|\.)hooks\.slack(?:-gov)?\.com$/.test(name)) return slackHook(text, from, parts);
  const isProvider = providers.test(`${name}.`);
  const isNode = isProvider || /^wss?$/.test(scheme) || nodeHost.test(`${name}.`);
  const isKey = isProvider ? isProviderKey : isNodeKey;
  if (/^hooks?\./.test(name)) return findSegments(text, from, parts, 'webhook', isHookKey);
  if (hookPath.test(name) || hookPath.test(parts)) return findSegments(text, from, parts, 'webhook', isHookPart);
  if (!isNode) return findSegments(text, from, parts, 'API key', (part) => botPath.test(part));
  const label = findSegments(text, from - name.length, name.split('.', 1)[0] ?? '', 'API key', isNodeKey);
  return [...label, ...findSegments(text, from, parts, 'API key', isKey)];
}

function slackHook(text: string, start: number, parts: string): readonly Finding[] {
  const service = /^\\?\/[A-Za-z]{1,20}\\?\//.exec(parts)?.[0] ?? '/';
  const secret = /^[A-Za-z0-9/\\]{8,200}/.exec(parts.slice(service.length))?.[0];
  const from = start + service.length;
  return secret === undefined
    ? []
    : masked('Slack webhook', text, from, from + secret.replace(/(?<![/\\])[/\\]+$/, '').length);
}

function findSegments(
  text: string,
  start: number,
  parts: string,
  kind: Kind,
  isSecret: (part: string) => boolean,
): readonly Finding[] {
  const found: Finding[] = [];
  for (const match of parts.matchAll(/[^/\\,;)]+/g)) {
    const part = match[0].replace(/(?<![.:])[.:]+$/, '');
    const from = start + match.index;
    if (isSecret(part)) found.push(...masked(kind, text, from, from + part.length));
  }
  return found;
}

function isNodeKey(part: string): boolean {
  return part.length >= 16 && !/^0x/i.test(part) && (isRandomToken(part, 16) || /^[0-9a-f]{32,}$/i.test(part));
}

function isProviderKey(part: string): boolean {
  return isUuid(part) || isNodeKey(part) || (part.length >= 20 && !part.startsWith('0x') && isRandom(part));
}

function isHookKey(part: string): boolean {
  return isHookPart(part) || (/^[A-Za-z0-9_-]{6,}$/.test(part) && (/\d/.test(part) || englishness(part) < 0.7));
}

function isHookPart(part: string): boolean {
  return (
    isUuid(part.split('@')[0] ?? '') || isRandomToken(part, 8) || (/^[A-Za-z0-9_-]{40,}$/.test(part) && /\d/.test(part))
  );
}

function masked(kind: Kind, text: string, start: number, end: number): readonly Finding[] {
  const written = text.slice(start, end);
  if (end <= start || markEnd(text, start) === end || (isPlaceholder(written) && /^[*x<${%[]/.test(written))) return [];
  return [{ kind, start, end }];
}
