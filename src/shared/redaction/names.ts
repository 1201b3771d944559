/** Decides which names announce a secret: one table of the words that names end with. */
import type { Strength } from './judge.ts';

export type SecretName = {
  readonly strength: Strength;
  /** Format of the value, if it is more than one word. */
  readonly form: 'value' | 'authorization' | 'cookies' | 'phrase' | 'query';
};

const value = (strength: Strength): SecretName => ({ strength, form: 'value' });

const passwords =
  'password passwd passwrd passcode identifiedby pwd passwordhash hashedpassword kennwort passwort contraseña motdepasse senha';
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
  accesspass passkey privatepem otp totp otpsecret totpsecret clientassertion samlresponse xauthtoken subscriberkey
  authsecret apipassword alchemykey infurakey quicknodekey ankrkey moraliskey etherscankey heliuskey drpckey openaikey
  anthropickey stripekey sendgridkey mailgunkey twiliotoken datadogkey ddkey newrelickey sentrykey githubtoken gitlabtoken
  npmtoken slacktoken`;
const weakNames = 'token secret auth jwt credential csrf xsrf pass seed';
const weakestNames = 'key session sessionid sid';
const phraseNames =
  'passphrase mnemonic mnemonicphrase seedphrase recoveryphrase secretphrase recoverywords seedwords backupphrase secretrecoveryphrase walletphrase';

const names: ReadonlyMap<string, SecretName> = new Map([
  ...words(weakNames).map((name) => [name, value('weak')] as const),
  ...words(strongNames).map((name) => [name, value('strong')] as const),
  ...words(phraseNames).map((name) => [name, { strength: 'strong', form: 'phrase' }] as const),
  ...['authorization', 'proxyauthorization'].map(
    (name) => [name, { strength: 'strong', form: 'authorization' }] as const,
  ),
  ...['cookie', 'cookies'].map((name) => [name, { strength: 'strong', form: 'cookies' }] as const),
  // Signatures are public, except in an address that they sign.
  ...['signature', 'sig'].map((name) => [name, { strength: 'weak', form: 'query' }] as const),
  ...words(weakestNames).map((name) => [name, value('weakest')] as const),
]);

/** Ends of names that are written as one word: `mydbpassword`, `PGPASSWORD`, `xapikey`. */
const gluedEnds = words(
  'password passwd passwort apikey apitoken accesstoken authtoken refreshtoken secretkey privatekey clientsecret accesskey apisecret',
);

/** Words that may follow the name: `DB_PASSWORD_PROD`, `apiKeyV2`, `private_key_pem`. */
const qualifiers = new Set(
  words(`prod production dev development staging stage test testing live sandbox primary secondary main mainnet sepolia goerli
    polygon arbitrum optimism eth ethereum base old new current previous next v raw plain plaintext string str text value val b
    base64 encoded hex pem default env production local internal backup a one two data`),
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
  words(`public pub recv gpg fingerprint primary foreign partition cache idempotency routing sort row object s3 composite unique index natural surrogate
    map hash range lookup group dedupe dedup deduplication message event item entry attribute translation i18n json config
    registry resource property column field meta metadata verification verifying ordering shard bucket candidate topic record
    storage hot arrow enter escape shortcut react press pressed down up`),
);

/** @param name as written: `X-Api-Key`, `dbPassword`, `spring.datasource.password` @returns undefined if it announces no secret */
export function secretName(name: string): SecretName | undefined {
  const segments = wordsOf(name);
  while (segments.length > 1 && (qualifiers.has(segments.at(-1) ?? '') || /^\d+$/.test(segments.at(-1) ?? '')))
    segments.pop();
  const last = singular(segments.at(-1) ?? '');
  const before = segments.at(-2);
  for (const count of [3, 2]) {
    const found = segments.length >= count && names.get([...segments.slice(-count, -1), last].join(''));
    if (found) return found;
  }
  if (before !== undefined && isHarmless(last, before)) return undefined;
  if (last === 'pass' && before !== undefined) return value('strong');
  return names.get(last) ?? (gluedEnds.some((end) => last.endsWith(end)) ? value('strong') : gluedName(last));
}

function isHarmless(last: string, before: string): boolean {
  return (last === 'token' && harmlessTokens.has(before)) || (last === 'key' && harmlessKeys.has(before));
}

/** `jsessionid`, `phpsessid`, `mytoken`. */
function gluedName(last: string): SecretName | undefined {
  if (last.length > 20) return undefined;
  return last.endsWith('token') ? value('weak') : /(?:sessid|sessionid)$/.test(last) ? value('weakest') : undefined;
}

function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-zñ]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

function singular(word: string): string {
  return /(?:password|token|secret|key|credential)s$/.test(word) ? word.slice(0, -1) : word;
}

function words(list: string): string[] {
  return list.split(/\s+/).filter((word) => word !== '');
}
