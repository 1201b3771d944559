/** Word lists and patterns for reading errors: words without a meaning of their own, and technical terms. */

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Left out of a key: two reports of one fault use them differently. */
export const fillerWords = words(`
  a an the is was are were be been being has have had it its this that there of to in on at for from with by and or as
  will would should may might can did does do please sorry while during when due because
`);

/**
 * A segment that contains only these and variables wraps a fault without naming it: `workflow execution failed`,
 * `request failed after 3 attempts`, `caused by`, `node 7`. Singular, lower case.
 */
export const wrapperWords = words(`
  workflow execution execute executing executed run running engine handler trigger step task job action activity
  capability call calling invoke invoking invocation operation request process processing handle handling function
  failed failure failing fail error err exception fault problem caught uncaught unhandled fatal critical panic panicked
  severe warning warn info debug level wrapped inner outer nested cause caused reason root last final original
  underlying attempt retry retrie retrying retried exhausted giving gave give up after before max maximum time tries try
  tried policy backoff back off every all each ended ending finished completed complete terminated aborted stopped
  could couldn not unable cannot t promise rejected awaiting await message msg detail description node peer worker
  main thread runtime sdk following occurred happened got get with response returned result internal source stage
  stack trace traceback most recent first see via through on identical same remote executable new another above
  exceeded number id ref reported callback call java lang util concurrent runtimeexception executionexception
  completionexception promiserejection axioserror fetcherror httperror providererror sqliteerror replyerror resterror
  domexception aborterror httprequesterror rpcrequesterror requesterror callexecutionerror servererror typeerror rangeerror
  referenceerror syntaxerror zoderror contractfunctionexecutionerror transactionexecutionerror said say answered replied httpsconnectionpool
  httpconnectionpool
`);

/** Words of many different faults: only with a subject beside them do they identify one. */
export const commonWords = words(`
  timeout timed out deadline context canceled cancelled connection connect connecting connected refused reset closed eof
  not found no such denied permission access unauthorized forbidden unauthenticated unavailable available service server
  client gateway bad invalid illegal unknown missing unexpected unsupported reverted revert rate limit limited too many
  requests request internal aborted exhausted expired nil null undefined none type value wait waiting reached i o io read
  write dial tcp udp http https post get put patch delete head rpc json response status code conflict entity
  unprocessable input output argument parameter param field name object string number property file directory exist
  exists already must required host network transport socket data body error failed failure exception exceeded retry
  econnreset econnrefused econnaborted etimedout enotfound epipe ehostunreach enetunreach
  within after while cannot could unable allowed supported operation method user key parse parsing syntax
`);

/** Verbs that begin a caller's description of what it did, also as `reading`. */
export const actionVerbs = `
  accept acquir append appl authenticat broadcast build buil call check clos commit compil comput connect creat decod delet deliver
  deploy deserializ dial download encod enqueu estimat evaluat execut export fetch flush forward generat get handl import
  initializ insert instantiat invok list load lock log look mak mint notif open parsi pars poll prepar process produc
  publish push put quer read refresh register relay render request resolv retriev rotat run sav scan send serializ settl
  sign simulat sponsor start stor stream submit subscrib swap sync transfer transform updat upload validat verif wait
  write writ
`
  .trim()
  .split(/\s+/)
  .map((stem) => `${stem}(?:e|y|ies|ing|ting)?`)
  .join('|');

/** Nouns before a number or an id: `batch 17`, `batch-17` and `batch bch_8f3a` are equal. Singular, lower case. */
export const labelNouns = words(`
  node peer worker validator replica operator oracle shard pod instance container leader follower member signer
  batch request req run job task step stage attempt retry try round epoch block slot tx txn transaction hash address
  account order ord invoice inv payment pay payout settlement plan vault user usr customer cust session sess trace span
  correlation event evt message msg id ref reference report execution workflow pid process thread line column position
  offset index row item entry version release chain ticket case acct acc bch trade trd position pos
`);

export const unitWords = words(`
  ns µs μs us ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days week weeks month
  months year years b byte bytes bit bits kb mb gb tb kib mib gib tib kbps mbps gas wei gwei eth ether usd eur gbp jpy
  btc usdc usdt percent bps bp pct st nd rd th ago pm blocks с сек мс мин ч 円 元 % ‰
`);

/** Units and time zones that in lower case are ordinary words. */
export const capitalUnits = words('AM UTC GMT Z CET CEST EST EDT PST PDT LINK DAI');

export const calendarWords = words(`
  mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb mar apr may jun jul aug
  sep sept oct nov dec january february march april june july august september october november december
  januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre
  novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
  января февраля марта апреля мая июня июля августа сентября октября ноября декабря
`);

/** The number or short token after one of them is an error code. */
export const codeWords = words(`
  code errno sqlstate status statuscode errorcode errcode error err exit signal http returned got answered replied
  responded response received with was rcode retcode errornumber smtp ftp
`);

/** Those of them that announce other numbers too: only an HTTP status counts as a code. */
export const weakCodeWords = words('http got answered replied responded response returned received with was');

/** Keys whose value describes the fault; letters only, lower case. */
export const messageKeys = words(`
  message msg error err errors reason detail details description desc errordescription errormessage errormsg title
  cause fault faultstring rawlog exception string reverted says said responded replied revertreason shortmessage
`);

/** Keys whose value is an error code; letters only, lower case. */
const codeKeys = words(`
  code errorcode errcode status statuscode httpstatus type kind errortype errno sqlstate grpcstatus grpccode
  exitcode errorname exceptiontype
`);

/** `retCode` and `sub_code` too. */
export function isCodeKey(key: string): boolean {
  return codeKeys.has(key) || /(?:ret|res|sub|err|error|biz|fault|reason|result|response)code$/.test(key);
}

export function isMessageKey(key: string): boolean {
  return (
    messageKeys.has(key) ||
    /(?:ret|res|sub|err|error|biz|result|response|status)(?:msg|message|text|summary)$/.test(key)
  );
}

/** Keys whose value says where the fault is: a path, a field, a method; letters only, lower case. */
export const fieldKeys = words(`
  path field fieldname param parameter pointer property loc argument argname column table constraint method operation
  function key resource topic queue bucket secret permission scope role attribute
`);

/** Nouns beside a quoted name. Singular, lower case. */
export const nameNouns = words(`
  column relation table constraint property field key index view schema database function method procedure trigger
  secret parameter param argument arg variable identifier module package import export class type interface attribute
  element tag option flag header user role group permission scope policy template topic queue stream bucket container
  collection namespace label metric service resource action operation path step feature provider plugin driver handler
  event error reading named sequence enum cookie file directory awaiting near instruction metric colonne spalte columna
  relationen tabelle tabla unique claim privilege capability
`);

/** Those that may have a name of several words. Singular, lower case. */
export const phraseNouns = words('metric limit quota feature option plan policy rule label service check stage');

/** Nouns before a quoted value that a person or a program sent. Singular, lower case. */
export const valueNouns = words(`
  value got received provided entry input parsing parse string text memo comment note subject number amount uuid numeric integer
  literal address id reference iban email sentence line token character date time timestamp version hash body content
  query sql prompt symbol currency found state thread
`);

/** Technical terms that contain digits. */
export const termPattern =
  /^(?:x\.?509|https?\d?|http\/\d(?:\.\d)?|h[23]|tls\w{0,6}|ssl\w{0,6}|ipv[46]|(?:erc|eip|bep|rfc|iso)-?\d{1,5}\p{L}{0,24}|sha-?\d{1,3}|(?:8|16|32|64|128|256|512)-(?:bit|byte)s?|md5|utf-?\d{1,2}|base(?:16|32|58|64)\p{L}{0,8}|u?int\d{1,3}|float\d{2}|bytes\d{1,2}|[iuf](?:8|16|32|64|128|256)|oauth\d?|ed25519|x25519|secp\d{3}\w{2}|keccak256|[erh]s(?:256|384|512)|s3|ec2|k8s|p2p|l[12]|v\d{1,2}|wasm\d{0,2}|amd64|arm64|x86|web3|2fa|[1-5]xx|pkcs\d{1,2}|asn\.?1|mp[34]|e2e|b2b|c2c)$/iu;

/** Error codes by their shape: ORA-00942, E11000, P2002, PGRST116, AADSTS50011, ERR_4021, HY000. */
export const codePattern =
  /^(?:e|err|error|ora|tns|pls|sql|pg|pgrst|p|ts|cs|msb|aadsts|rpc|http|sqlstate|db|ec|hy|code|status|dpy|dpi|sec)[-_]?\d{2,7}$/i;

/** HTTP's reason phrases, by their beginnings; from RFC 9110 and from proxies. */
export const httpPhrase =
  /^[\s():-]{0,3}(?:bad (?:request|gateway)|unauthori[sz]ed|payment required|forbidden|not (?:found|acceptable|implemented|modified|extended)|method not|proxy auth|request (?:time|header|entity|uri)|conflict|gone\b|length required|precondition|payload too|content too|uri too|unsupported media|range not|expectation|misdirected|unprocessable|locked|failed dep|too (?:many|early)|upgrade required|internal server|service (?:unavail|temporar)|gateway time|http version|insufficient storage|loop detected|network auth|i'm a|moved|found\b|temporary redirect|permanent redirect|unavailable for|client closed|web server|origin)/i;

/** Severity words that precede an error's own first word. */
export const severityWords = words('error err uncaught unhandled fatal warn warning critical severe exception panic');

/** An id without a digit: eight hexadecimal letters, or six after a prefix as in `bch_deadbe`. */
export const letterIdPattern = /^(?:[a-f]{8,64}|\p{L}{2,12}[-_][a-f]{6,64})$/iu;

/** Codes of JSON-RPC for any error of a server. */
export const serverErrorCodes = ['3', '-32000', '-32603'];

/** @returns the letters and digits alone, lower case: spacing and punctuation do not matter */
export function squashed(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
