/** Shapes of secrets and the texts that contain them, made from a seed. */
import { createDraw, type Draw } from './draw.ts';

export type LabelledSecret = { readonly shape: string; readonly secret: string; readonly text: string };

type Made = readonly [secret: string, text: string];
type Shape = readonly [name: string, make: (draw: Draw) => Made];

/** A key that needs no name: its beginning in parts, so that no file holds a real one. */
const bare = (name: string, parts: string, body: (draw: Draw) => string): Shape => [
  name,
  (draw) => {
    const secret = parts.replaceAll('·', '') + body(draw);
    return [secret, draw.pick(surroundings)(secret)];
  },
];

/** A value that its place announces. */
const inText = (name: string, value: (draw: Draw) => string, around: (secret: string, draw: Draw) => string): Shape => [
  name,
  (draw) => {
    const secret = value(draw);
    return [secret, around(secret, draw)];
  },
];

const surroundings: readonly ((secret: string) => string)[] = [
  (secret) => `request failed with ${secret} after 3 attempts`,
  (secret) => `{"level":"error","msg":"refused","value":"${secret}"}`,
  (secret) => `{\\"value\\":\\"${secret}\\",\\"n\\":1}`,
  (secret) => `sent '${secret}', got 401`,
  (secret) => `(${secret}): permission denied`,
  (secret) => `line one\\n${secret}\\nline three`,
];

const words = 'harbor lantern velvet copper meadow ribbon'.split(' ');
const password = (draw: Draw) => `${draw.pick(words)}${draw.below(900) + 100}${draw.pick(['!', '#', '', '$x', 'Q'])}`;
const wordPassword = (draw: Draw) => `${draw.pick(words)}${draw.pick(words)}`;
const lettersOnly = (draw: Draw) => draw.of('letters', 24);
const token = (draw: Draw) => draw.of('alnum', 28 + draw.below(20));
const hex32 = (draw: Draw) => draw.hex(32);
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
const phraseWords = 'legal winner thank year wave sausage worth useful canyon orbit maple drift'.split(' ');
const phrase = (draw: Draw) => Array.from({ length: 12 }, () => draw.pick(phraseWords)).join(' ');

const keys: readonly Shape[] = [
  bare('npm token', 'np·m_', (draw) => draw.of('alnum', 36)),
  bare('GitLab personal token', 'glp·at-', (draw) => draw.of('url', 20).replace(/[-_]$/, 'x')),
  bare('GitLab runner token', 'glr·t-', (draw) => draw.of('alnum', 20)),
  bare('GitHub token', 'gh·p_', (draw) => draw.of('alnum', 36)),
  bare('GitHub fine-grained token', 'github·_pat_', (draw) => `${draw.of('alnum', 22)}_${draw.of('alnum', 59)}`),
  bare(
    'Slack bot token',
    'xox·b-',
    (draw) => `${draw.of('digits', 12)}-${draw.of('digits', 12)}-${draw.of('alnum', 24)}`,
  ),
  bare(
    'Slack app token',
    'xap·p-',
    (draw) => `1-A${draw.of('upperAlnum', 10)}-${draw.of('digits', 13)}-${draw.hex(64)}`,
  ),
  bare('AWS key id', 'AK·IA', (draw) => draw.of('base32', 16)),
  bare('Google API key', 'AI·za', (draw) => `${draw.of('url', 34)}k`),
  bare('Google OAuth secret', 'GOC·SPX-', (draw) => draw.of('alnum', 28)),
  bare('Google access token', 'ya2·9.', (draw) => `a0${draw.of('url', 120)}Z`),
  bare('Stripe key', 'sk_l·ive_', (draw) => draw.of('alnum', 24)),
  bare('Stripe webhook secret', 'whs·ec_', (draw) => draw.of('alnum', 32)),
  bare('OpenAI project key', 'sk-p·roj-', (draw) => `${draw.of('alnum', 74)}T3BlbkFJ${draw.of('alnum', 74)}`),
  bare('Anthropic key', 'sk-a·nt-api03-', (draw) => `${draw.of('alnum', 93)}AA`),
  bare('Hugging Face token', 'h·f_', (draw) => draw.of('letters', 34)),
  bare('SendGrid key', 'S·G.', (draw) => `${draw.of('alnum', 22)}.${draw.of('alnum', 43)}`),
  bare('DigitalOcean token', 'dop·_v1_', (draw) => draw.hex(64)),
  bare('Shopify token', 'shp·at_', (draw) => draw.hex(32)),
  bare('PyPI token', 'py·pi-', (draw) => `AgEIcHlwaS5vcmc${draw.of('alnum', 70)}`),
  bare('Docker token', 'dck·r_pat_', (draw) => draw.of('alnum', 27)),
  bare('Vault token', 'hv·s.', (draw) => draw.of('alnum', 95)),
  bare('Grafana token', 'gls·a_', (draw) => `${draw.of('alnum', 32)}_${draw.hex(8)}`),
  bare('Linear key', 'lin_·api_', (draw) => draw.of('alnum', 40)),
  bare('New Relic key', 'NRA·K-', (draw) => draw.of('upperAlnum', 27)),
  bare('Postman key', 'PMA·K-', (draw) => `${draw.hex(24)}-${draw.hex(34)}`),
  bare('Atlassian token', 'ATAT·T3xFfGF0', (draw) => `${draw.of('alnum', 180)}=${draw.of('upperAlnum', 8)}`),
  bare('Terraform Cloud token', '', (draw) => `${draw.of('alnum', 14)}.atlasv1.${draw.of('alnum', 64)}`),
  bare('Telegram bot token', '', (draw) => `${draw.of('digits', 9).replace(/^0/, '7')}:AA${draw.of('alnum', 33)}`),
  bare('JSON web token', 'ey·J', (draw) => `hbGciOiJIUzI1NiJ9.eyJ${draw.of('alnum', 60)}.${draw.of('alnum', 43)}`),
  bare('key of the query service', 'wk_·live_', (draw) => draw.hex(20)),
  bare(
    'private key',
    '-----BEGIN ·RSA PRIVATE KEY-----',
    (draw) => `\\n${draw.of('base64', 300)}\\n-----END RSA PRIVATE KEY-----`,
  ),
];

const addresses: readonly Shape[] = [
  inText(
    'Alchemy',
    (draw) => draw.of('alnum', 32),
    (secret) => `POST https://eth-mainnet.g.alchemy.com/v2/${secret}: 429`,
  ),
  inText('Infura', hex32, (secret) => `dial wss://mainnet.infura.io/ws/v3/${secret}: refused`),
  inText(
    'QuickNode',
    (draw) => draw.hex(40),
    (secret) => `"url":"https://calm-red-lake.matic.quiknode.pro/${secret}/"`,
  ),
  inText(
    'Ankr',
    (draw) => draw.hex(64),
    (secret) => `https://rpc.ankr.com/polygon/${secret} timed out`,
  ),
  inText('Chainstack', hex32, (secret) => `could not reach https://polygon-mainnet.core.chainstack.com/${secret}`),
  inText(
    'Blast',
    (draw) => draw.uuid(),
    (secret) => `https://eth-mainnet.blastapi.io/${secret}`,
  ),
  inText(
    'DRPC',
    (draw) => draw.of('alnum', 44),
    (secret) => `https://lb.drpc.org/ogrpc?network=base&dkey=${secret}`,
  ),
  inText('GetBlock', hex32, (secret) => `https://go.getblock.io/${secret}/ returned 403`),
  inText(
    'Slack webhook',
    (draw) => draw.of('alnum', 24),
    (secret, draw) =>
      `https://hooks.slack.com/services/T${draw.of('upperAlnum', 8)}/B${draw.of('upperAlnum', 8)}/${secret}`,
  ),
  inText(
    'Discord webhook',
    (draw) => draw.of('alnum', 68),
    (secret, draw) => `https://discord.com/api/webhooks/${draw.of('digits', 18)}/${secret}`,
  ),
  inText(
    'scheme with parameters',
    token,
    (secret, draw) => `Authorization: ${draw.pick(['Token token', 'GNAP key', 'Acme-Auth sig'])}="${secret}"`,
  ),
  inText(
    'Telegram address',
    (draw) => `AA${draw.of('alnum', 33)}`,
    (secret, draw) => `https://api.telegram.org/bot1${draw.of('digits', 8)}:${secret}/sendMessage`,
  ),
  inText('database address', password, (secret) => `connect postgres://app:${secret}@db.internal:5432/app failed`),
  inText(
    'database address with a hard password',
    (draw) => `${password(draw)}/@x`,
    (secret) => `amqp://svc:${secret}@mq.internal/vhost`,
  ),
  inText(
    'access token in a repository address',
    token,
    (secret) => `git clone https://x-access-token:${secret}@github.com/acme/app.git`,
  ),
  inText('query string', token, (secret) => `GET /v1/prices?api_key=${secret}&symbol=ETH 500`),
  inText('query string of letters', lettersOnly, (secret) => `GET /callback?access_token=${secret}&state=ok`),
  inText(
    'signed address of S3',
    (draw) => draw.hex(64),
    (secret) => `https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=${secret}`,
  ),
  inText(
    'signed address of Azure',
    (draw) => `${draw.of('alnum', 43)}%3D`,
    (secret) => `https://a.blob.core.windows.net/c/b?sv=2022-11-02&sp=r&sig=${secret}`,
  ),
  inText(
    'form body',
    password,
    (secret) => `body: grant_type=password&username=bob&password=${encodeURIComponent(secret)}&scope=read`,
  ),
];

const named: readonly Shape[] = [
  inText('bearer of letters', lettersOnly, (secret) => `> Authorization: Bearer ${secret}`),
  inText('bearer in JSON', token, (secret) =>
    JSON.stringify({ headers: { authorization: `Bearer ${secret}`, accept: '*/*' } }),
  ),
  inText(
    'basic credentials',
    (draw) => btoa(`bob:${password(draw)}`),
    (secret) => `authorization: Basic ${secret}`,
  ),
  inText('bearer without a header', token, (secret) => `upstream refused Bearer ${secret}`),
  inText(
    'key header',
    (draw) => draw.hex(24),
    (secret) => `X-Api-Key: ${secret}\\nAccept: */*`,
  ),
  inText('key header of letters', lettersOnly, (secret) => `x-api-key: ${secret}`),
  inText('header of curl', token, (secret) => `curl -s -H 'X-Auth-Token: ${secret}' https://api.example.com`),
  inText('user of curl', password, (secret) => `+ curl -u admin:${secret} https://api.example.com/v1`),
  inText('headers of Go', token, (secret) => `map[Accept:[*/*] Authorization:[Bearer ${secret}] User-Agent:[go]]`),
  inText('first cookie', token, (secret) => `Cookie: sid=${secret}; theme=dark`),
  inText('second cookie', token, (secret) => `Cookie: theme=dark; remember_me=${secret}`),
  inText('cookie that is set', token, (secret) => `set-cookie: session=${secret}; Path=/; HttpOnly`),
  inText('token in JSON', token, (secret) => JSON.stringify({ user: 'bob', token: secret })),
  inText('token in escaped JSON', token, (secret) => escaped(JSON.stringify({ token: secret, n: 1 }))),
  inText('token in doubly escaped JSON', token, (secret) => escaped(escaped(JSON.stringify({ token: secret, n: 1 })))),
  inText('token of letters in JSON', lettersOnly, (secret) => JSON.stringify({ refreshToken: secret })),
  inText('password in JSON', password, (secret) => JSON.stringify({ password: secret })),
  inText('password in escaped JSON', wordPassword, (secret) => escaped(JSON.stringify({ body: { password: secret } }))),
  inText(
    'password in a dump of Python',
    password,
    (secret) => `{'user': 'bob', 'password': '${secret}', 'retries': 3}`,
  ),
  inText('password in a dump of Java', password, (secret) => `Login(user=bob, password=${secret}, remember=false)`),
  inText('token in a dump of Go', token, (secret) => `{User:bob Token:${secret} Retries:3}`),
  inText('token in a dump of Ruby', token, (secret) => `{:user=>"bob", :api_token=>"${secret}"}`),
  inText('token in a dump of PHP', token, (secret) => `Array ( [user] => bob [auth_token] => ${secret} )`),
  inText('environment', password, (secret) => `DB_PASSWORD=${secret} LOG_LEVEL=debug node app.js`),
  inText('environment of letters', lettersOnly, (secret) => `export STRIPE_API_KEY="${secret}"`),
  inText('environment of Kubernetes', password, (secret) => `{"name":"DB_PASSWORD","value":"${secret}"}`),
  inText('YAML', password, (secret) => `db:\n  user: app\n  password: ${secret}\n  pool: 5`),
  inText('logfmt', token, (secret) => `level=info msg="signed in" access_token=${secret} user=bob`),
  inText('properties', password, (secret) => `spring.datasource.password=${secret}`),
  inText('XML', password, (secret) => `<login><user>bob</user><password>${secret}</password></login>`),
  inText('connection string', password, (secret) => `Server=db;User Id=sa;Password=${secret};Encrypt=true`),
  inText(
    'storage key',
    (draw) => `${draw.of('base64', 86)}==`,
    (secret) => `AccountName=x;AccountKey=${secret};EndpointSuffix=core.windows.net`,
  ),
  inText('flag', token, (secret) => `deploy --token ${secret} --env prod`),
  inText('flag with a password', password, (secret) => `backup --password=${secret} --all`),
  inText(
    'private key of a wallet',
    (draw) => draw.hex(64),
    (secret) => `PRIVATE_KEY=0x${secret}`,
  ),
  inText(
    'private key in JSON',
    (draw) => draw.hex(64),
    (secret) => JSON.stringify({ privateKey: secret }),
  ),
  inText('recovery phrase', phrase, (secret) => `mnemonic: ${secret}`),
  inText('recovery phrase in JSON', phrase, (secret) => JSON.stringify({ mnemonic: secret, path: "m/44'/60'" })),
  inText(
    'secret of AWS',
    (draw) => draw.of('base64', 40),
    (secret) => `aws_secret_access_key = ${secret}`,
  ),
  inText('client secret', token, (secret) => `client_id=abc&client_secret=${secret}&grant_type=client_credentials`),
  inText('entities of HTML', password, (secret) => `{&quot;password&quot;:&quot;${secret}&quot;}`),
  inText('statement of SQL', password, (secret) => `ALTER ROLE app WITH PASSWORD '${secret}'`),
];

export const shapeNames: readonly string[] = [...keys, ...addresses, ...named].map(([name]) => name);

/** @returns `each` texts of every shape */
export function labelledSecrets(each: number, seed = 20_260): readonly LabelledSecret[] {
  const draw = createDraw(seed);
  return [...keys, ...addresses, ...named].flatMap(([shape, make]) =>
    Array.from({ length: each }, () => {
      const [secret, text] = make(draw);
      return { shape, secret, text };
    }),
  );
}
