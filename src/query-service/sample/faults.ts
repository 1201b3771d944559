/** The ways in which the sample's workflows fail, worded as a hosted workflow platform words them. */
import type { ErrorRecord } from '../records/record.ts';
import type { Facts, Fault, Line } from './recipe.ts';
import { priceOf } from './recipes.ts';

const plain = (error: string) => error;

function once(text: (facts: Facts) => string, reporters: (facts: Facts) => number = (facts) => facts.nodes) {
  return (facts: Facts): readonly ErrorRecord[] => [{ error: text(facts), count: reporters(facts) }];
}

function said(atMs: number, say: (facts: Facts) => string): Line {
  return { atMs, say };
}

/** Since the bad release: the ledger does not know a field that the release sends. One log line holds a (made-up) secret. */
export const unknownField: Fault = {
  step: 'post',
  classifiedStatus: 'USER_ERROR',
  eventStatus: 'FAILURE',
  takesMs: 1_450,
  errors: once(
    (facts) =>
      `http-actions@1.0.0 SendRequest: POST https://ledger.harbor-markets.example/v2/payouts: 422 Unprocessable Entity: unknown field "settlementCurrency" in payouts[${facts.few - 1}] (batch bch_${facts.ref})`,
  ),
  wrap: (error) => `payout run failed: ${error}`,
  lines: [
    said(10, () => 'POST /v2/payouts Authorization: Bearer not-a-real-token-0000000042'),
    said(420, (facts) => `POST /v2/payouts 422 in ${facts.few * 9} ms: unknown field "settlementCurrency"`),
    said(430, () => 'attempt 1 of 3 failed, next in 400 ms'),
    said(900, () => 'attempt 2 of 3 failed, next in 400 ms'),
    said(1_440, (facts) => `giving up on batch bch_${facts.ref} after 3 attempts`),
  ],
};

const outageNodesUp = 3;

/** The platform's outage: only the first three nodes are up. */
export const quorumLost: Fault = {
  step: 'agree',
  classifiedStatus: 'SYSTEM_ERROR',
  eventStatus: 'failure',
  takesMs: 20_000,
  errors: once(
    (facts) =>
      `consensus@1.0.0: quorum not reached: ${outageNodesUp} of ${facts.nodes} nodes answered request ${facts.ref} within 20s`,
    () => outageNodesUp,
  ),
  wrap: plain,
  lines: [
    said(5, (facts) => `waiting for observations of request ${facts.ref}`),
    said(19_990, (facts) => `${outageNodesUp} of ${facts.nodes} observations, giving up`),
  ],
  nodesUp: outageNodesUp,
};

/** The flaky capability. */
export const gatewaySilent: Fault = {
  step: 'fetch',
  classifiedStatus: 'SYSTEM_ERROR',
  eventStatus: 'FAILURE',
  takesMs: 10_000,
  errors: once(
    (facts) => `http-actions@1.0.0: gateway gw-0${facts.few % 10} did not answer request ${facts.ref} within 10s`,
  ),
  wrap: (error) => `fetching rates: ${error}`,
  lines: [
    said(5, (facts) => `GET /v1/latest?base=EUR through gw-0${facts.few % 10}, request ${facts.ref}`),
    said(9_990, (facts) => `no answer from gw-0${facts.few % 10} after 10.0 s`),
  ],
};

/** Recurring: other hashes, addresses and amounts each time, and one cause. */
export const slippage: Fault = {
  step: 'write',
  classifiedStatus: 'USER_ERROR',
  eventStatus: 'failure',
  takesMs: 3_100,
  errors: once(
    (facts) =>
      `evm:write@1.0.0 WriteReport: transaction 0x${facts.hash} from 0x${facts.address} reverted: SlippageExceeded(minimum ${facts.many * 100}, received ${facts.many * 100 - facts.few * 37})`,
  ),
  wrap: (error, facts) => `settlement ${facts.ref} failed: ${error}`,
  lines: [
    said(40, (facts) => `sent 0x${facts.hash}, gas limit 4${facts.many}`),
    said(3_080, (facts) => `0x${facts.hash} reverted in block ${21_000_000 + facts.many}`),
  ],
};

const wrappings = [
  'workflow execution failed',
  'engine: run of handler "onSchedule" (trigger 0, cron) ended with an error',
  'sdk: promise rejected while awaiting capability call 4 of 4',
  'rebalance: applying plan',
  'rebalance: retry policy exhausted after 3 attempts with back-off 200ms, 400ms, 800ms (every attempt ended alike)',
  'capability call failed: evm:write@1.0.0 WriteReport (chain selector 5009297550715157269)',
  'remote executable: aggregated response of the write network: 7 of 7 identical errors',
  'transmission schedule: stage 0 of 4',
  'transaction manager: broadcast of attempt 0 refused before inclusion, not retried because the node calls it terminal',
  'rpc: eth_estimateGas on primary: error -32000, secondary: error -32000, tertiary: error -32000',
] as const;

/** The refused call with all its data, as nodes of a chain repeat it. */
function callOf({ address, hash, few }: Facts): string {
  const words = Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? hash : `${index + few}`.padStart(64, '0')));
  return `request {"from":"0x${address}","value":"0x0","data":"0x8d80ff0a${words.join('')}"}`;
}

/** The long one: what is wrong stands at its very end, and the call that failed is reported as completed. */
export const noAllowance: Fault = {
  step: 'write',
  classifiedStatus: 'USER_ERROR',
  eventStatus: 'COMPLETED',
  takesMs: 2_400,
  errors: once(
    (facts) =>
      `${wrappings.slice(5).join(': ')}: ${callOf(facts)}: execution reverted: ERC20: insufficient allowance (spender 0x${facts.address}, allowance 0, needed ${facts.many}000000)`,
  ),
  wrap: (error, facts) => `${wrappings.slice(0, 5).join(': ')} [plan ${facts.ref}, vault ${facts.few % 32}]: ${error}`,
  lines: [
    said(30, () => 'estimating gas'),
    said(2_300, () => 'gas estimation failed on 3 of 3 endpoints: execution reverted'),
    said(2_390, (facts) => `plan ${facts.ref} abandoned: insufficient allowance`),
  ],
};

/** The base price of gold, and the price of the one node whose source stands still. */
export const goldBase = 2_315;

const oldPrice = 2411.07;

function deviation(facts: Facts): string {
  return ((oldPrice / Number(priceOf(facts, goldBase)) - 1) * 100).toFixed(1);
}

/** Eight nodes say that they cannot agree; the ninth says why. */
export const diverging: Fault = {
  step: 'agree',
  classifiedStatus: 'SYSTEM_ERROR',
  eventStatus: 'Failure',
  takesMs: 1_900,
  errors: (facts) => [
    {
      error: `consensus@1.0.0: observations deviate by ${deviation(facts)} % (limit 2.0 %): median ${priceOf(facts, goldBase)}, node-7 ${oldPrice}`,
      count: facts.nodes - 1,
    },
    { error: 'node-7: source metals-b: x509: certificate has expired, using the last known price', count: 1 },
  ],
  wrap: (error) => `XAU/USD not updated: ${error}`,
  lines: [{ atMs: 1_880, say: (_facts, node) => (node === 7 ? undefined : 'deviation above the limit: not writing') }],
};

/** The platform kept no detail. */
export const noDetail: Fault = {
  step: 'bank',
  classifiedStatus: 'SYSTEM_ERROR',
  eventStatus: 'FAILURE',
  takesMs: 2_500,
  errors: null,
  wrap: plain,
  lines: [],
};

/** Text that tries to become markup, a mention, a link, a formula; the arrow is U+202E, which turns the rest around. */
export const hostileText: Fault = {
  step: 'fetch',
  classifiedStatus: 'USER_ERROR',
  eventStatus: 'failure',
  takesMs: 900,
  errors: once(
    (facts) =>
      `<!channel> <@U0EVIL0001> *rejected* <https://evil.example/${facts.ref}|click here> \`\`\`code\`\`\` & <script>alert(1)</script> \u202etxt.exe`,
  ),
  wrap: plain,
  lines: [
    said(10, () => '=HYPERLINK("https://evil.example","open")'),
    said(20, () => '<!here> _please_ approve <https://evil.example|this> \u0007\u001b[31mnow\u001b[0m'),
    said(890, (facts) => `rejected ${facts.ref} &lt;b&gt; @channel`),
  ],
};

export const cyrillicTimeout: Fault = {
  step: 'fetch',
  classifiedStatus: 'USER_ERROR',
  eventStatus: 'FAILURE',
  takesMs: 8_000,
  errors: once((facts) => `не удалось получить курс ЦБ (запрос ${facts.ref}): истекло время ожидания 8 с`),
  wrap: (error) => `обновление курсов: ${error}`,
  lines: [said(7_990, () => 'сервер не ответил за 8 с')],
};
