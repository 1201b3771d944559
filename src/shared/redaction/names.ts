/** Decides which names announce a secret: one table of the words that names end with. */
import type { Strength } from './judge.ts';

export type SecretName = {
  readonly strength: Strength;
  /** Format of the value, if it is more than one word. */
  readonly form: 'value' | 'authorization' | 'cookies' | 'phrase' | 'query';
};

const value = (strength: Strength): SecretName => ({ strength, form: 'value' });

const passwords =
  'password passwd passwrd passcode identifiedby pwd pw psw passw passwordhash hashedpassword kennwort passwort contraseña motdepasse senha';
const strongNames = `${passwords} secretaccesskey accesskeysecret apikey apisecret appkey appsecret authkey clientsecret clientkey
  consumersecret consumerkey sharedsecret signingsecret signingkey encryptionkey masterkey privatekey privkey secretkey secretid
  accesskey accountkey sharedaccesskey sharedaccesssignature subscriptionkey functionskey functionkey licensekey
  webhooksecret jwtsecret jwtkey sessionsecret cookiesecret secretkeybase hmackey hmacsecret servicekey rolekey serverkey
  integrationkey projectsecret ingestkey writekey sshkey rsakey aeskey walletkey signerkey deployerkey
  validatorkey rpckey dkey keypass storepass dbpass userpass rootpass adminpass mysqlpass smtppass redispass pgpass
  basicauth proxyauth httpauth npmauth dockerauth authpassword accesstoken refreshtoken authtoken apitoken idtoken
  bearertoken sessiontoken securitytoken csrftoken xsrftoken bottoken usertoken privatetoken deploytoken jobtoken
  clienttoken servicetoken personaltoken apptoken devicetoken registrytoken runnertoken vaulttoken logintoken resettoken
  verificationtoken invitetoken csrfmiddlewaretoken requestverificationtoken connecttoken roletoken
  accesspass passkey privatepem otp totp otpsecret totpsecret clientassertion samlresponse xauthtoken subscriberkey secretseed walletpassphrase mfasecret
  authsecret apipassword ingestionkey unsealkey recoverykey recoverycode backupcode sonarlogin honeycomb psk communitystring
  presharedkey macaroon authcode authorizationcode devicecode codeverifier instrumentationkey bindpw rootpw acltoken hectoken authbasic oauthbearer authbearer oauth2bearer bearerauth accesscode keystorepass
  truststorepass dockerconfigjson dockercfg authsalt hashsalt signingsalt insalt noncesalt alchemykey infurakey quicknodekey ankrkey moraliskey etherscankey heliuskey drpckey openaikey
  anthropickey stripekey sendgridkey mailgunkey twiliotoken datadogkey ddkey newrelickey sentrykey githubtoken gitlabtoken
  npmtoken slacktoken`;
const weakNames = 'token secret auth jwt credential creds csrf xsrf pass seed keypair nodekey keystore';
const weakestNames = 'key license licence unseal pat session sessionid sid sess';
/** Keys of services that take a uuid, or 32 letters and digits; elsewhere a name of a queue. */
const serviceKeyNames = 'routingkey';
const phraseNames = `passphrase mnemonic srp backupwords mnemonicwords mnemonicseed mnemonicphrase seedphrase recoveryphrase secretphrase
  recoverywords seedwords backupphrase secretrecoveryphrase walletphrase`;

const names: ReadonlyMap<string, SecretName> = new Map([
  ...words(weakNames).map((name) => [name, value('weak')] as const),
  ...words(strongNames).map((name) => [name, value('strong')] as const),
  ...words(phraseNames).map((name) => [name, { strength: 'strong', form: 'phrase' }] as const),
  ...['authorization', 'proxyauthorization'].map(
    (name) => [name, { strength: 'strong', form: 'authorization' }] as const,
  ),
  ...['cookie', 'cookies'].map((name) => [name, { strength: 'strong', form: 'cookies' }] as const),
  // Signatures are public, except in an address that they sign.
  ...['signature', 'sig'].map((name) => [name, { strength: 'strong', form: 'query' }] as const),
  ...words(weakestNames).map((name) => [name, value('weakest')] as const),
  ...words(serviceKeyNames).map((name) => [name, value('service')] as const),
]);

/** Ends of names that are written as one word: `mydbpassword`, `PGPASSWORD`, `xapikey`. */
const gluedEnds = words(
  'password passwd passwort apikey apitoken accesstoken authtoken refreshtoken secretkey privatekey clientsecret accesskey apisecret storepass keypass',
);

/** Words that may follow the name: `DB_PASSWORD_PROD`, `apiKeyV2`, `private_key_pem`. */
const qualifiers = new Set(
  words(`prod production dev development staging stage test testing live sandbox primary secondary main mainnet sepolia goerli
    polygon arbitrum optimism eth ethereum base old new current previous next v raw plain plaintext string str text value val b
    base64 encoded hex pem default env production local internal backup a one two data ro rw readonly readwrite read write admin root
    replica master slave primary shared global legacy active fallback keystore keystores eu us ap asia europe west east north south
    auxiliary central service svc db database ci cd deploy team bot web app api node rpc contents content bytes mainnet testnet devnet x y`),
);

/** A name that ends with one of these tells about a secret or points to it. */
const harmlessTails = new Set(
  words(`id ids uid guid uuid name names type types kind count counts number numbers total sum address addresses symbol decimals uri url urls href path
    paths file files filename dir folder location ref refs reference arn version versions policy policies rule rules length len size min max limit limits
    quota usage used left remaining expiry expires expiration expired expire at on in by ttl age lifetime timeout date time timestamp created updated
    modified rotated rotation rotate reset resets change changed changes hint hints status state valid validity enabled disabled required optional present missing set
    exists format scheme algorithm alg method mode source provider issuer audience scope scopes owner user username email account holder holders host
    port server endpoint manager store vault field fields column columns index label prefix suffix pattern regex check checks verify verified verification
    validator validation error errors code codes message msg reason failure failures attempt attempts retry retries supply price amount balance contract pair
    pool transfer transfers list page pages class hash hashed digest fingerprint checksum salt public pub storage cache cached bucket table row topic
    queue event events metric metrics cost costs estimate budget window rate price prices option options config configured settings`),
);

/** A token with one of these words is a coin, a position in a list or a part of a language. */
const harmlessTokens = new Set(
  words(`next page continuation pagination cursor sync start end fee gas base quote pay payment from to in out native reward
    governance lp erc20 erc721 wrapped unexpected reserve collateral debt stake staking staked target source underlying sell
    buy input output cancellation nft mint stable pool bridge bridged native max min prompt completion total input output
    asset deposit borrow borrowed supply supplied yield vault share eof lexer parser syntax special stop pad bos unk`),
);

/** A key with one of these words is not a secret. */
const harmlessKeys = new Set(
  words(`public pub recv gpg fingerprint primary foreign partition cache idempotency sort row object s3 composite unique index natural surrogate
    map hash range lookup group dedupe dedup deduplication message event item entry attribute translation i18n json config
    registry resource property column field meta metadata verification verifying ordering shard bucket candidate topic record
    storage websocket hot arrow enter escape shortcut react press pressed down up`),
);

/** @param name as written: `X-Api-Key`, `dbPassword`, `spring.datasource.password` @returns undefined if it announces no secret */
export function secretName(name: string): SecretName | undefined {
  if (name === 'code') return { strength: 'strong', form: 'query' };
  const segments = withoutQualifiers(name);
  const last = singular(segments.at(-1) ?? '');
  const before = segments.at(-2);
  for (const count of [3, 2]) {
    const found = segments.length >= count && names.get([...segments.slice(-count, -1), last].join(''));
    if (found) return found;
  }
  if (before !== undefined && isHarmless(last, before)) return undefined;
  if (last === 'pass' && before !== undefined) return value('strong');
  // A header of a service's own: `X-Billing-Key`.
  if (last === 'key' && /^x-/i.test(name)) return value('weak');
  return (
    names.get(last) ??
    (gluedEnds.some((end) => last.endsWith(end)) ? value('strong') : gluedName(last)) ??
    nameBeforeTail(segments)
  );
}

/** `PASSWORD_OPERATOR_7`, `apiKeyReporting`: one or two words of the writer's own after a name. */
function nameBeforeTail(segments: readonly string[]): SecretName | undefined {
  for (const tail of [1, 2, 3]) {
    if (segments.length <= tail || segments.slice(-tail).some((word) => harmlessTails.has(word))) return undefined;
    const found = ownName(segments.slice(0, -tail));
    if (found) return found;
  }
  return undefined;
}

function ownName(segments: readonly string[]): SecretName | undefined {
  const last = segments.at(-1) ?? '';
  const before = segments.at(-2);
  if (before !== undefined && isHarmless(last, before)) return undefined;
  if (last === 'token' || last === 'secret' || last === 'credential') return value('weakest');
  if (last === 'pass' && before !== undefined) return value('weak');
  const found = names.get(last) ?? names.get(`${before ?? ''}${last}`);
  return found?.strength === 'strong' && found.form === 'value' ? value('weak') : undefined;
}

/** @returns true if the name is of an id, a digest or another public value */
export function isIdName(name: string): boolean {
  return wordsOf(name).some((word) => harmlessTails.has(word) || idWords.has(word));
}
const idWords = new Set(
  words(
    'request trace span run job build commit sha image release deployment block tx transaction order invoice ray session',
  ),
);

/** @returns true if the last word is a public key or a coin's token after the word before it */
export function isHarmlessName(name: string): boolean {
  const segments = withoutQualifiers(name);
  const before = segments.at(-2);
  const last = singular(segments.at(-1) ?? '');
  return before !== undefined && !names.has(before + last) && isHarmless(last, before);
}

function withoutQualifiers(name: string): string[] {
  const segments = wordsOf(name);
  while (segments.length > 1 && isQualifier(segments.at(-1) ?? '') && !names.has(segments.slice(-2).join('')))
    segments.pop();
  return segments;
}

function isQualifier(word: string): boolean {
  return qualifiers.has(word) || /^\d+$/.test(word);
}

function isHarmless(last: string, before: string): boolean {
  return (last === 'token' && harmlessTokens.has(before)) || (last === 'key' && harmlessKeys.has(before));
}

/** `jsessionid`, `phpsessid`, `mytoken`. */
function gluedName(last: string): SecretName | undefined {
  if (last.length > 20) return undefined;
  return last.endsWith('token') ? value('weak') : /(?:sessid|sessionid)$/.test(last) ? value('weakest') : undefined;
}

/** Without the flag of Java's properties: `-Dsonar.login`. */
function wordsOf(name: string): string[] {
  return (name.replace(/^-D(?=[a-z])/, '').match(/[A-Z]+(?![a-z])|[A-Z]?[a-zñ]+|\d+/g) ?? []).map((word) =>
    word.toLowerCase(),
  );
}

function singular(word: string): string {
  return /(?:password|token|secret|key|credential|code)s$/.test(word) ? word.slice(0, -1) : word;
}

function words(list: string): string[] {
  return list.split(/\s+/).filter((word) => word !== '');
}
