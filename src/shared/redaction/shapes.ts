/** Shapes of keys that need no name: what each provider's documentation says they begin with. */
import type { SecretKind } from './marks.ts';

export type Shape = {
  readonly kind: SecretKind;
  /** Literal beginnings, in their own case. */
  readonly prefixes: readonly string[];
  /** Sticky: what follows the prefix, as much of it as has to be judged. */
  readonly body: RegExp;
  /** Sticky: the rest of it, however long. */
  readonly rest: RegExp;
  /** The prefix alone could be a word or a part of one, so what follows has to look random. */
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
  certain('Slack token', dotted, 16, 'xoxe.'),
  certain('GitHub token', dotted, 20, 'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_'),
  certain(
    'GitLab token',
    dotted,
    16,
    'glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glft- glimt- glagent- gloas- glffct- glwt- GR1348941',
  ),
  certain('npm token', letters, 24, 'npm_'),
  { ...certain('AWS key', 'A-Z0-9', 16, 'AKIA ASIA ABIA ACCA'), body: /[A-Z0-9]{16}(?![A-Za-z0-9])/y },
  certain('AWS key', base64, 20, 'ABSK bedrock-api-key-'),
  certain('Google key', wide, 35, 'AIza'),
  certain('Google key', `/${dotted}`, 20, 'ya29. GOCSPX- 4/0A 1//0'),
  {
    ...certain('JSON web token', wide, 8, 'eyJ'),
    body: /[A-Za-z0-9_-]{8,600}\.[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,1500}){1,3}/y,
  },
  certain('API key', letters, 8, 'sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ wk_live_ wk_test_ sk_prod_'),
  certain('API key', '0-9a-f', 32, 'SK'),
  certain('private key', letters, 64, 'xprv yprv zprv tprv'),
  // Payments and shops.
  certain(
    'API key',
    wide,
    16,
    `whsec_ rzp_live_ rzp_test_ shippo_live_ shippo_test_ sq0atp- sq0csp- sq0idp- EAAAE FLWSECK_TEST-
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
    cfat_ cfk_ vcp_ vcr_ circleci_ CCIPAT_ CCIPRJ_ bkua_ sbp_ sb_secret_ pscale_tkn_ pscale_pw_ pscale_oauth_ LTAI AKCp cmVmd dapi
    rpa_ apify_api_ sgp_ CMPAT- depot_ napi_ sha256~ AGE-SECRET-KEY-1`,
  ),
  certain(
    'API key',
    dotted,
    16,
    'pk.eyJ sk.eyJ tk.eyJ SG. hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dt0c01. dt0s16. dt0s08. dt0s01. v2.local. v4.local.',
  ),
  certain('API key', base64, 20, 'glc_ ops_ey fo1_ fm1_ fm2_ fm1r_ sntrys_'),
  // Work, watching and mail.
  certain(
    'API key',
    wide,
    16,
    `glsa_ sntryu_ sntrya_ sntryi_ NRAK- NRII- NRJS- NRRA- NRAA- phc_ phx_ ddapp_ lin_api_ lin_oauth_ ntn_ figd_ figu_
    figo_ PMAK- ATATT3 ATCTT3 ATSTT3 ATBB BBDC- xkeysib- xsmtpsib- secret_live_ secret_test_ ion_api_ p8e- shrt_ pnu_
    rdme_ dG9rO ory_at_ ory_rt_ ory_ac_ wfq_ IGQVJ EAACEdEose0cBA AQVN SWMTKN- SWMKEY-`,
  ),
  common(
    'sk- sk_ pk_ key- key_ secret_ token_ pat_ live_ test_ re_ rnd_ co_ jina_ exa_ fw_ ddp_ psk_ typeform_ tfp_ EAA y0_ t1. waka_ cio- nuget_ api_ AKID ATLAS- s.',
  ),
];

/** The middle of shapes without a literal beginning, and what is in front of it: bots of Telegram and Discord, Microsoft's client secrets, Terraform. */
export const infixHints =
  /:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])|Q~[A-Za-z0-9_.~-]{31,34}|\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])|\.atlasv1\.[A-Za-z0-9_-]{60,80}/g;
export const beforeInfix = /(?:(?<!\d)\d{8,10}|[A-Za-z0-9_~.]{3}\d|\b[MNO][A-Za-z0-9_-]{22,27}|[A-Za-z0-9]{14})$/;
