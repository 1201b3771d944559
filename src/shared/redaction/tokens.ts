/** Finds keys by their shapes: prefixes of providers, private keys in PEM, hashes of passwords. */
import { isRandomToken } from './judge.ts';
import type { Finder, SecretKind, SecretMatch } from './marks.ts';
import { skip } from './values.ts';

export type Shape = {
  readonly kind: SecretKind;
  /** Literal prefixes; case matters. */
  readonly prefixes: readonly string[];
  /** Sticky: the part after the prefix that is judged. */
  readonly body: RegExp;
  /** Sticky: the rest, of any length. */
  readonly rest: RegExp;
  /** The prefix may be an ordinary word, so the text after it has to look random. */
  readonly isCommon: boolean;
};

const judgedUnitsMax = 64;

const certain = (kind: SecretKind, alphabet: string, unitsMin: number, prefixes: string): Shape => ({
  kind,
  prefixes: prefixes.split(/\s+/),
  body: new RegExp(`[${alphabet}]{${unitsMin},${judgedUnitsMax}}`, 'y'),
  rest: new RegExp(`[${alphabet}]*`, 'y'),
  isCommon: false,
});
const common = (prefixes: string): Shape => ({ ...certain('API key', wide, 16, prefixes), isCommon: true });

const letters = 'A-Za-z0-9';
const wide = `${letters}_-`;
const dotted = `${letters}_.~-`;
const base64 = `${letters}+/=_-`;

export const shapes: readonly Shape[] = [
  certain('Slack token', `${letters}-`, 6, 'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp-'),
  certain('GitHub token', dotted, 20, 'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_'),
  certain(
    'GitLab token',
    dotted,
    16,
    'glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glft- glimt- glagent- gloas- glffct- glwt- GR1348941',
  ),
  certain('npm token', letters, 24, 'npm_'),
  // An id and the secret behind it.
  {
    ...certain('AWS key', letters, 16, 'AKIA ASIA'),
    body: /[A-Z0-9]{16}[:,'"/| ]{1,5}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/y,
  },
  { ...certain('API key', letters, 32, 'AC'), body: /[0-9a-f]{32}[:,'" ]{1,5}[0-9a-f]{32}(?![0-9A-Za-z])/y },
  { ...certain('AWS key', 'A-Z0-9', 16, 'AKIA ASIA ABIA ACCA'), body: /[A-Z0-9]{16}(?![A-Za-z0-9])/y },
  certain('AWS key', base64, 20, 'ABSK bedrock-api-key-'),
  certain('Google key', wide, 35, 'AIza'),
  certain('Google key', `/${dotted}`, 20, 'ya29. GOCSPX- 4/0A 1//0'),
  {
    ...certain('JSON web token', wide, 8, 'eyJ'),
    body: /[A-Za-z0-9_-]{8,600}\.[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,1500}){1,3}/y,
  },
  certain(
    'API key',
    letters,
    8,
    'sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ wk_live_ wk_test_ sk_prod_ rk_prod_',
  ),
  certain('API key', '0-9a-f', 32, 'SK'),
  certain('API key', 'A-Z0-9-', 25, 'API- A3-'),
  certain('API key', letters, 60, 'eyJrIjoi'),
  { ...certain('API key', letters, 38, '4b1d'), body: /[A-Za-z0-9]{38}(?![A-Za-z0-9])/y, isCommon: true },
  {
    ...certain('API key', letters, 32, 'mainnet preprod preview'),
    body: /[A-Za-z0-9]{32}(?![A-Za-z0-9])/y,
    isCommon: true,
  },
  certain('private key', letters, 64, 'xprv yprv zprv tprv'),
  certain('private key', letters, 50, 'suiprivkey1 nsec1 edsk'),
  { ...certain('API key', `${letters}%+/=`, 60, 'AAAAAAAAAAAAAAAAAAAAA'), isCommon: true },
  // Payments and shops.
  certain(
    'API key',
    wide,
    16,
    `rzp_live_ rzp_test_ shippo_live_ shippo_test_ sq0atp- sq0csp- sq0idp- EAAAE FLWSECK_TEST-
    FLWSECK- shpat_ shpca_ shppa_ shpss_ shptka_ duffel_live_ duffel_test_ EZAK EZTK access_token$production$ pdl_live_ pdl_sdbx_`,
  ),
  // Models.
  certain(
    'API key',
    wide,
    16,
    `sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- pk-lf- gsk_ xai- pplx- nvapi- r8_ lsv2_pt_ lsv2_sk_ pcsk_
    tvly- tgp_v1_ hf_ api_org_ sk_llama_`,
  ),
  // Clouds, builds and registries.
  certain(
    'API key',
    wide,
    16,
    `dop_v1_ doo_v1_ dor_v1_ dckr_pat_ dckr_oat_ pypi- rubygems_ CLOJARS_ tskey- pul- nfp_ HRKU- CFPAT- cfut_
    cfat_ cfk_ vcp_ vci_ vca_ vcr_ vck_ circleci_ CCIPAT_ CCIPRJ_ bkua_ sbp_ sb_secret_ pscale_tkn_ pscale_pw_ pscale_oauth_ LTAI AKCp cmVmd dapi
    rpa_ apify_api_ sgp_ CMPAT- depot_ napi_ sha256~ AGE-SECRET-KEY-1`,
  ),
  certain(
    'API key',
    dotted,
    16,
    'scauth_ authress_ pk.eyJ sk.eyJ tk.eyJ p.eyJ SG. hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dt0c01. dt0s16. dt0s08. dt0s01. v2.local. v4.local.',
  ),
  certain('API key', wide, 60, 'sl. sl.u.'),
  { ...certain('API key', dotted, 40, 'sc_ ext_ pat. sat.'), isCommon: true },
  certain('API key', '0-9a-f.|-', 40, 'st. MLY| TG- v1.0-'),
  certain('API key', `*.${wide}`, 60, 'Fe26.2**'),
  certain('API key', base64, 20, 'whsec_ glc_ ops_ey fo1_ fm1_ fm2_ fm1r_ sntrys_'),
  // Work, watching and mail.
  certain(
    'API key',
    wide,
    16,
    `glsa_ sntryu_ sntrya_ sntryi_ NRAK- NRII- NRJS- NRRA- NRAA- phc_ phx_ ddapp_ lin_api_ lin_oauth_ ntn_ figd_ figu_
    figo_ PMAK- ATATT3 ATCTT3 ATSTT3 ATBB BBDC- xkeysib- xsmtpsib- secret_live_ secret_test_ ion_api_ p8e- shrt_ pnu_
    expo_ neon_api_ crsr_ squ_ sqp_ sqa_ pscale_ linearb_ baserow_ wandb_v1_ e2b_ fc- ctx7sk- dtn_ pk_snyk_ snyk_uat. snyk_sat. rpk_ whk_
    mercury_production_token: hvs- tvly-dev- cal_live_ cal_test_ up_live_ novu_ sbx_ mlsn. cfd_ ot_live_ fo1- MDAx tfe. rdme_ dG9rO ory_at_ ory_rt_ ory_ac_ wfq_ IGQVJ IGAA EAACEdEose0cBA AQVN SWMTKN- SWMKEY- ldpat_ hxtp_ hxtw_ zpka_ KGAT_ QN_ gitea_ shp_ luma- dkea dsapi
    APP_USR- tk-us- fio-u- s-s4t2ud- s-s4t2af- sm_aat_ sm_pat_ sm_sat_ RGAPI- xaat- xapt- vercel_blob_rw_ CCDB1_ gAAAAAB cqt_ bb_live_ bb_test_ csb_v1_ vtwn_ retool_ dbtc_ dbtu_ dbts_ CG- retell_ AQE`,
  ),
  {
    ...certain(
      'API key',
      '0-9a-f-',
      36,
      'sdk- mob- rel- api- sk- pk- sk-lf- pk-lf- key- tok- token- secret- pat- live- test- pat-na1- pat-eu1- access-sandbox- access-development- access-production- waka_ amzn.mws. luma- bws-',
    ),
    body: /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-f])/y,
  },
  common(
    'sk- sk_ pk_ key- key_ secret_ token_ pat_ live_ test_ re_ rnd_ co_ jina_ exa_ fw_ ddp_ psk_ typeform_ tfp_ EAA y0_ t1. waka_ cio- nuget_ api_ AKID ATLAS- s. csk- pa- llx- ck- oy2 essu_ sandbox_ sess- ak- as- TEST- ico-',
  ),
];

/** The middle of shapes without a literal prefix, and the text in front of it: bots of Telegram and Discord, Microsoft's client secrets, Terraform. `common.errors.TopicAuthorizationException` has the lengths of a token of Discord, but no digit. */
const infixHints =
  /:(?:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])|APA91b[A-Za-z0-9_-]{60,200}|(?<=\b[0-2]\/\d{10,16}:)[0-9a-f]{32}(?![0-9A-Za-z]))|Q~[A-Za-z0-9_.~-]{31,34}|\.(?:[A-Za-z0-9_-]{6}\.(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])|(?<=\bpat[A-Za-z0-9]{14}\.)[0-9a-f]{64}|atlasv1\.[A-Za-z0-9_-]{60,80}|[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==)|_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])|-(?<=[0-9a-f]{32}-)us\d{1,2}(?![A-Za-z0-9])|FFFFNRAL|![A-Za-z0-9_.]{60,120}/g;
const beforeInfix =
  /(?:\b[0-9a-f]{36}|\b0\.[0-9a-f-]{36}|\b00D[A-Za-z0-9]{12,15}|(?<!\d)\d{8,10}|[A-Za-z0-9_~.]{3}\d|\b[MNO][A-Za-z0-9_-]{22,27}|[A-Za-z0-9]{14}|\b[A-Za-z0-9]{6}|\b[0-9a-f]{32})$/;

/** The longest prefix wins; rows with a shorter prefix of it apply too. */
const prefixed = shapes
  .flatMap((shape) => shape.prefixes.map((prefix) => ({ ...shape, prefix })))
  .sort((one, other) => other.prefix.length - one.prefix.length);
const shapesByPrefix: ReadonlyMap<string, typeof prefixed> = new Map(
  prefixed.map(({ prefix }) => [prefix, prefixed.filter((shape) => prefix.startsWith(shape.prefix))]),
);
const anyPrefix = [...shapesByPrefix.keys()].map((prefix) => prefix.replace(/[^A-Za-z0-9_-]/g, '\\$&')).join('|');

const tokenHints = new RegExp(`\\b(${anyPrefix})`, 'g');
/** The rest of an escape in JSON or in a URL seems to belong to the word: `\nghp_…`, `%3Dghp_…`. */
const escapedTokenHints = new RegExp(`[\\\\%](?:[nrtbf]|u[0-9a-fA-F]{4}|[0-9a-fA-F]{2})(${anyPrefix})`, 'g');

function findInfix(text: string, { index, 0: found }: RegExpExecArray): readonly SecretMatch[] {
  const before = beforeInfix.exec(text.slice(Math.max(0, index - 37), index))?.[0];
  return before === undefined ? [] : [{ kind: 'API key', start: index - before.length, end: index + found.length }];
}

function findToken(text: string, { index, 0: whole, 1: found = '' }: RegExpExecArray): readonly SecretMatch[] {
  const start = index + whole.length - found.length;
  for (const { kind, prefix, body, rest, isCommon } of shapesByPrefix.get(found) ?? []) {
    body.lastIndex = start + prefix.length;
    const judged = body.exec(text)?.[0];
    if (judged === undefined || !isSecretBody(judged, isCommon)) continue;
    const end = skip(rest, text, body.lastIndex);
    return [{ kind, start, end: end - (/(?<![.~-])[.~-]+$/.exec(text.slice(end - 8, end))?.[0].length ?? 0) }];
  }
  return [];
}

/** Password hashes with their salt: of crypt, Argon2, Django, LDAP, PostgreSQL, MySQL and Windows. */
const passwordHashHints =
  /(?<![\w$])\$(?:[156y]|apr1|2[abxy]?|argon2\w{0,2}|scrypt|pbkdf2[\w-]{0,10}|[PH])\$[\w./+=,$-]{20,400}|\bpbkdf2_sha\d{1,3}\$\d{3,8}\$[\w./+=$]{20,400}|\{(?:S?SHA|S?MD5|SSHA)\d{0,3}\}[\w+/=]{20,200}|\bSCRAM-SHA-\d{1,3}\$\d{2,6}:[\w+/=$:]{40,400}|(?<=:[0-9a-f]{32}):[0-9a-f]{32}(?=:::)|(?<=['"])\*[0-9A-F]{40}(?=['"])/gi;

/** A name with hyphens may begin as a key does: `sk-learn-contrib-…`. */
function isSecretBody(body: string, isCommon: boolean): boolean {
  return isCommon ? isRandomToken(body, 16) : !/^[a-z]+(?:[-_.][a-z]+)+$/.test(body);
}

/** `acme_4bT9…`: a short name, then letters of both cases and digits. */
const brandHints = /[_-](?=[A-Za-z0-9]{28})/g;
const brand = /(?<![A-Za-z0-9_-])[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,12}){0,3}[_-]$/;
const brandRest = /[A-Za-z0-9]{28,400}(?![A-Za-z0-9])/y;
/** Ids and addresses are public. */
const publicBrand =
  /(?:^|[_-])(?:id|tx|txn|hash|addr|address|peer|p2p|block|pub|commit|cid|sig|proof|root|acct|cus|evt|req|run|node|csa|digest|trace|chatcmpl|cmpl|gen|resp|msg|call|file|asst|thread|conv|batch|step|job|task|order|user|org|proj|nonce|upload|asset|etag|cs|pi|sha\d*|md5|npm|build|img|image|pod|ver)(?:[_-]|$)/;

function findBrand(text: string, { index }: RegExpExecArray): readonly SecretMatch[] {
  const end = skip(brandRest, text, index + 1);
  const written = text.slice(index + 1, end);
  if (!/\d/.test(written) || !/[a-z]/.test(written) || !/[A-Z]/.test(written)) return [];
  const name = brand.exec(text.slice(Math.max(0, index - 60), index + 1))?.[0];
  if (name === undefined || publicBrand.test(name) || !isRandomToken(written, 28)) return [];
  return [{ kind: 'API key', start: index + 1 - name.length, end }];
}

const privateKeyHints = /-----BEGIN |Private-Lines: /g;

const puttyKey = /Private-Lines: \d{1,4}(?:\r?\n|\\n)([A-Za-z0-9+/=\s\\]{16,8000})(?=\n|\\n|$)/y;
const header = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key without an end marker is masked to the end of the text. */
function findPrivateKey(text: string, { index: at }: RegExpExecArray): readonly SecretMatch[] {
  puttyKey.lastIndex = at;
  const lines = puttyKey.exec(text)?.[1];
  if (lines !== undefined)
    return [{ kind: 'private key', start: puttyKey.lastIndex - lines.length, end: puttyKey.lastIndex }];
  header.lastIndex = at;
  if (!header.test(text)) return [];
  footer.lastIndex = header.lastIndex;
  const end = footer.test(text) ? footer.lastIndex : text.length;
  return [{ kind: 'private key', start: at, end }];
}

export const tokenFinders: readonly Finder[] = [
  { hints: tokenHints, find: findToken },
  { hints: escapedTokenHints, find: findToken },
  { hints: infixHints, find: findInfix },
  { hints: privateKeyHints, find: findPrivateKey },
  { hints: brandHints, find: findBrand, needs: 'longWord' },
  {
    hints: passwordHashHints,
    find: (_text, { index, 0: hash }) => [{ kind: 'password', start: index, end: index + hash.length }],
    needs: 'longWord',
  },
];
