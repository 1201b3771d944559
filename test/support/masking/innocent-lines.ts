/** Lines without a secret from logs and errors: many values look random, many words announce secrets elsewhere. */
import { createDraw, type Draw } from './draw.ts';
import { prose } from './innocent-prose.ts';

const address = (draw: Draw) => `0x${draw.hex(40)}`;
const hash = (draw: Draw) => `0x${draw.hex(64)}`;
const name = (draw: Draw) => draw.pick(['payout-batch', 'price-feed', 'rebalance', 'por-check', 'bridge-watch']);
const service = (draw: Draw) =>
  draw.pick(['auth-service', 'token-indexer', 'gateway', 'key-manager', 'session-store', 'engine']);
const symbol = (draw: Draw) => draw.pick(['USDC', 'WETH', 'LINK', 'stETH', 'wrapped-bitcoin', 'DAI', 'cbBTC']);
const time = (draw: Draw) =>
  `2026-0${draw.below(9) + 1}-1${draw.below(9)}T0${draw.below(9)}:4${draw.below(9)}:1${draw.below(9)}.${draw.of('digits', 3)}Z`;
const number = (draw: Draw) => String(draw.below(100_000));
const pod = (draw: Draw) => `${name(draw)}-${draw.of('lowerAlnum', 10)}-${draw.of('lowerAlnum', 5)}`;

const placeholders: Readonly<Record<string, (draw: Draw) => string>> = {
  address,
  hash,
  name,
  service,
  symbol,
  time,
  number,
  pod,
  selector: (draw) => `0x${draw.hex(8)}`,
  calldata: (draw) => `0x${draw.hex(8 + 64 * (1 + draw.below(3)))}`,
  uuid: (draw) => draw.uuid(),
  git: (draw) => draw.hex(40),
  short: (draw) => draw.hex(7),
  md5: (draw) => draw.hex(32),
  sha: (draw) => draw.hex(64),
  digest: (draw) => `sha256:${draw.hex(64)}`,
  integrity: (draw) => `sha512-${draw.of('base64', 86)}==`,
  solana: (draw) => draw.of('base58', 44),
  signature: (draw) => draw.of('base58', 88),
  bitcoin: (draw) => `bc1q${draw.of('lowerAlnum', 38).replace(/[1bio]/g, 'q')}`,
  cid: (draw) => `Qm${draw.of('base58', 44)}`,
  ens: (draw) => `${name(draw)}.eth`,
  trace: (draw) => `00-${draw.hex(32)}-${draw.hex(16)}-01`,
  ulid: (draw) => `01J${draw.of('upperAlnum', 23).replace(/[ILOU]/g, 'A')}`,
  ray: (draw) => `${draw.hex(16)}-FRA`,
  ip: (draw) => `10.${draw.below(255)}.${draw.below(255)}.${draw.below(255)}`,
  base64: (draw) => draw.of('base64', 120),
  object: (draw) => `${draw.pick(['req', 'evt', 'pi', 'cus', 'in', 'ch'])}_${draw.of('alnum', 24)}`,
  day: (draw) => `2026-0${draw.below(9) + 1}-1${draw.below(9)}`,
};

const machine = `{time} INFO {service} started in {number} ms
{time} level=info msg="step finished" workflow={name} execution={uuid} step=3 took={number}ms
{"level":"warn","ts":"{time}","msg":"slow answer","host":"{ip}","durationMs":{number},"requestId":"{uuid}"}
{"time":"{time}","traceId":"{md5}","spanId":"{short}","service":"{service}","message":"ok"}
transaction {hash} reverted: ERC20: transfer amount exceeds balance
execution reverted: insufficient allowance (token {address}, spender {address})
token={address} symbol={symbol} decimals=18
{"token":"{address}","symbol":"{symbol}","decimals":18,"chainId":1}
{"token":"{symbol}","amount":"{number}","to":"{address}"}
{"tokenIn":"{address}","tokenOut":"{address}","fee":500}
{"token0":"{address}","token1":"{address}","pool":"{address}"}
{"tokenAddress":"{address}","tokenId":"{number}","owner":"{ens}"}
contract token {address} is not verified
token: {symbol} is not supported on this chain
unknown token {symbol} in pair {symbol}/{symbol}
invalid token: {symbol}
tokens: {number}, max_tokens: 4096, prompt_tokens={number}
nextPageToken: {number}
{"type":"function","selector":"{selector}","input":"{calldata}"}
eth_call to {address} with data {calldata} failed: out of gas
VM Exception while processing transaction: revert {calldata}
nonce too low: address {address}, tx: {number} state: {number}
replacement transaction underpriced (hash {hash})
block {number} hash={hash} parent={hash} gasUsed={number}
tx={hash} status=1 block={number}
Transfer(from={address}, to={address}, value={number})
mint {solana} supply {number}
token: {solana}
signature {signature} confirmed after {number} slots
{"signature":"{signature}","slot":{number},"err":null}
sent to {bitcoin}, 3 confirmations
pinned {cid} in {number} ms
https://ipfs.io/ipfs/{cid}
https://etherscan.io/tx/{hash}
https://etherscan.io/token/{address}?a={address}
https://github.com/acme/app/commit/{git}
https://api.example.com/v1/workflows/{uuid}/executions?page={number}&size=100
https://cdn.example.com/assets/app.{short}.js
GET /api/v2/tokens/{address}/price?vs=usd 200 {number}ms
GET /healthz 200 1ms trace={trace}
POST /oauth/token 401 {number}ms
POST /v1/auth/session 204 {number}ms request_id={uuid}
{ip} - - [10/Oct/2026:13:55:36 +0000] "GET /login?next=%2Fhome HTTP/1.1" 200 {number}
cf-ray: {ray}
x-request-id: {uuid}
traceparent: {trace}
etag: W/"{md5}"
last-modified: Tue, 13 Oct 2026 07:28:00 GMT
content-type: application/json; charset=utf-8
Cache-Control: max-age=3600, public
WWW-Authenticate: Bearer realm="api", error="invalid_token"
Access-Control-Allow-Headers: Authorization, X-Api-Key, Content-Type
vary: Origin, Cookie, Authorization
{"error":"invalid_grant","error_description":"Token has been expired or revoked."}
{"errors":[{"message":"Unauthorized: API key is missing","extensions":{"code":"UNAUTHENTICATED"}}]}
{"message":"Invalid API key"}
{"password":["must be at least 8 characters","is too common"]}
{"field":"password","message":"is required"}
{"token_type":"Bearer","expires_in":{number},"scope":"read write"}
{"object":"{object}","request":"{object}","livemode":false}
stripe: request {object} failed with card_declined
digest: {digest}
pulled image registry.example.com/acme/{service}@{digest}
npm error integrity checksum failed: wanted {integrity} but got {integrity}
"resolved": "https://registry.example.com/left-pad-1.3.0.tgz", "integrity": "{integrity}"
HEAD is now at {short} fix(auth): refresh the token earlier
commit {git}
Merge branch 'token-refresh' into main ({short})
data:image/png;base64,iVBORw0KGgo{base64}{base64}
{"image":"{base64}{base64}{base64}"}
cursor={ulid}
event {ulid} delivered to {service}
md5({name}.wasm) = {md5}
{sha}  {name}.tar.gz
sha256 mismatch: expected {sha}, got {sha}
Failed to pull secret "{name}-tls" in namespace "prod": not found
secret "{name}" not found
Error: secret: context deadline exceeded
failed to get secret: context deadline exceeded
failed to get secret 'BANK_API_KEY': context deadline exceeded
failed to decrypt secret 'DB_PASSWORD': threshold not met (3 of 5 shares)
execution reverted: custom error 0x7939f424, data: "0x7939f424"
MountVolume.SetUp failed for volume "kube-api-access-{short}": object "prod"/"kube-root-ca.crt" not registered
Warning  FailedMount  pod/{pod}  secret "{name}-credentials" not found
Back-off restarting failed container {service} in pod {pod}_prod({uuid})
pod/{pod} evicted: node had condition DiskPressure
Readiness probe failed: Get "http://{ip}:8080/readyz": context deadline exceeded
secretName: {name}-tls
imagePullSecrets: [regcred]
env: valueFrom: secretKeyRef: name: {name} key: password
configmap/{name} unchanged, secret/{name} configured
ERROR: password authentication failed for user "app"
FATAL: password authentication failed for user "{service}" (SQLSTATE 28P01)
ERROR: duplicate key value violates unique constraint "workflow_pkey" DETAIL: Key (id)=({uuid}) already exists.
ERROR: insert or update on table "token" violates foreign key constraint "token_owner_fkey"
Key (token, owner)=({address}, {number}) already exists.
SELECT id, token, secret_name FROM credentials WHERE owner = $1 AND key = $2
UPDATE sessions SET expires_at = now() WHERE id = '{uuid}'
INSERT INTO prices (token, day, price) VALUES ('{symbol}', '{day}', {number})
CREATE TABLE api_keys (id uuid PRIMARY KEY, token_hash text NOT NULL, password_changed_at timestamptz)
ORA-01017: invalid username/password; logon denied
Access denied for user 'app'@'{ip}' (using password: YES)
redis: WRONGPASS invalid username-password pair or user is disabled.
NOAUTH Authentication required.
MongoServerError: Authentication failed.
java.lang.IllegalStateException: Token {number} was not expected at com.acme.TokenStream.next(TokenStream.java:{number})
at com.acme.auth.SessionTokenProvider.refreshAccessToken(SessionTokenProvider.java:{number})
Caused by: javax.crypto.BadPaddingException: Given final block not properly padded. Such issues can arise if a bad key is used
org.springframework.security.authentication.BadCredentialsException: Bad credentials
org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [{service}]
    at Object.<anonymous> (/srv/app/node_modules/jsonwebtoken/verify.js:{number}:17)
    at TokenService.refresh (/srv/app/src/token-service.ts:{number}:11)
TypeError: Cannot read properties of undefined (reading 'token')
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
SyntaxError: Unexpected token export in JSON at position {number}
JsonWebTokenError: jwt malformed
TokenExpiredError: jwt expired
Error: secretOrPrivateKey must have a value
KeyError: 'api_key'
ValueError: password: must not be empty
  File "/usr/lib/python3/site-packages/auth/session.py", line {number}, in get_token
    token = self.session.get_token(scope)
    return cache[key] if key in cache else default
panic: runtime error: invalid memory address or nil pointer dereference [signal SIGSEGV: segmentation violation code=0x1]
goroutine {number} [running]: main.(*TokenStore).Get(0xc000{short}, {0xc0001, 0x20})
	/go/src/app/keys/keyring.go:{number} +0x{short}
rpc error: code = Unauthenticated desc = transport: per-RPC creds failed due to error: token expired
rpc error: code = DeadlineExceeded desc = context deadline exceeded while waiting for session {uuid}
dial tcp {ip}:5432: connect: connection refused
x509: certificate signed by unknown authority (key id {short})
ssh: handshake failed: ssh: unable to authenticate, attempted methods [none password], no supported methods remain
Host key verification failed.
key=price value={number}
cache key workflow:{uuid}:status expired
partition_key={number} sort_key={day} table=events
key: {name}, value: {number}
primary_key=id foreign_key=workflow_id index=ix_{short}
idempotency-key: {uuid}
public_key: 0x04{sha}{sha}
publicKey={solana}
keyId={uuid} algorithm=ES256
token_endpoint=https://login.example.com/oauth2/token auth_method=client_secret_basic
private_key_path=/etc/ssl/private/{name}.key
password_file: /run/secrets/db_password
passwordResetRequired=false passwordChangedAt={time}
password: null
password: ********
password=\${DB_PASSWORD}
token: <redacted>
apiKey: undefined
Authorization: [REDACTED]
auth: disabled, tls: enabled
session expired after {number} seconds
session={uuid} user={number} action=logout
author=Ada authority=ca-{number} authorized=true
passed=12 failed=0 skipped=3 passRate=100
seed={number} epoch=3 loss=0.{number}
pass: 12, fail: 0
bearer of bad news: {number} messages were dropped
Basic checks passed in {number} ms
cookie consent shown to {number} visitors
e.exports=function(t,n){var r=n(12),o=t.key,i=t.token;return r.a(o,i)}
!function(e){var t={key:e,token:null,secret:void 0};window.__auth=t}(this);
const{token:a,key:b}=c;if(!a)throw Error("token missing")
.token{color:#{short}}.token.keyword{color:#07a}
export type Token = { kind: TokenKind; start: number; end: number };
if (token === undefined) return await refreshToken(session);
router.post('/password', requireAuth, changePassword)
docker run --rm -p 8080:80 -u 1000:1000 acme/{service}:1.2.{number}
ssh -p 2222 deploy@{ip}
mkdir -p /srv/{name} && cd /srv/{name}
curl -u "$USER:$PASSWORD" https://api.example.com/v1
kubectl get secret {name} -o yaml
helm upgrade {name} ./chart --set image.tag={short} --atomic
aws sts assume-role --role-arn arn:aws:iam::{number}:role/{name}
arn:aws:secretsmanager:eu-central-1:123456789012:secret:{name}-AbCdEf
projects/acme/secrets/{name}/versions/3
vault: secret/data/{name} has no version {number}
s3://backups/{day}/{uuid}.tar.gz uploaded ({number} bytes)
wss://stream.example.com/ws/{symbol}@trade closed with 1006
https://eth.llamarpc.com answered 429 after {number} ms
https://mainnet.infura.io/v3/<project-id> is not reachable
https://rpc.ankr.com/eth returned -32005 limit exceeded
rpc https://polygon-rpc.com: method eth_getLogs, block range {number} too large
postgres://app@db.internal:5432/app: connection refused
https://docs.example.com/guides/how-to-rotate-your-api-keys-without-downtime
https://example.com/blog/{day}/why-session-tokens-expire-and-what-to-do-about-it
mailto:security@example.com?subject=lost%20password
signal SIGTERM received, draining {number} sessions
assertion failed: left == right, left: {number}, right: {number}
sigma={number} design=ok assigned to {service}`.split('\n');

const openings = [
  '',
  '{time} ERROR ',
  '[{service}] ',
  '{day} {pod} | ',
  'msg: ',
  'Error: ',
  'workflow {name} failed: ',
  '{uuid}: ',
];

/** @returns `count` lines: every template in turn, each time with another beginning and other values */
export function innocentLines(count: number, seed = 11): readonly string[] {
  const draw = createDraw(seed);
  const templates = [...machine, ...prose];
  return Array.from({ length: count }, (_, index) => {
    const opening = openings[Math.floor(index / templates.length) % openings.length] ?? '';
    const line = `${opening}${templates[index % templates.length] ?? ''}`;
    return line.replace(/\{(\w+)\}/g, (whole, key: string) => placeholders[key]?.(draw) ?? whole);
  });
}
