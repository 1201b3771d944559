/** Data: calls, log lines and failures of the sample's workflows. schedule.ts makes executions from it. */
import type { ErrorRecord } from '../records/record.ts';

/** Values of one execution. Its errors and log lines name the same batch, amount and addresses. */
export type Facts = {
  /** 8 hexadecimal characters. */
  readonly ref: string;
  /** 40 hexadecimal characters. */
  readonly address: string;
  /** 64 hexadecimal characters. */
  readonly hash: string;
  /** From 2 to 40. */
  readonly few: number;
  /** From 10,000 to 99,999. */
  readonly many: number;
  readonly nodes: number;
};

/** The last member marks lines that 30-second schedules leave out of good executions. Undefined text: the node logs nothing. */
export type Line = readonly [
  atMs: number,
  text: string | ((facts: Facts, node: number) => string | undefined),
  detail?: 'verbose',
];

export type Recipe = {
  /**
   * By label: a capability, and its start and end in milliseconds at ordinary speed. Calls may overlap; the trigger is
   * not listed.
   */
  readonly calls: Readonly<Record<string, `${keyof typeof capabilities} ${number}-${number}`>>;
  readonly lines: readonly Line[];
  /** Prefix of every line, also of faults. */
  readonly linePrefix?: string;
};

export type Fault = {
  /**
   * The failing call, its length, the platform's word for its end (which may also report success), and the execution's
   * status.
   */
  readonly ends: {
    readonly call: string;
    readonly afterMs: number;
    readonly status: string;
    readonly classifiedStatus: 'USER_ERROR' | 'SYSTEM_ERROR';
  };
  /** Errors of the call; every node that is up reports a text. Null if the platform kept no detail. */
  readonly errors: ((facts: Facts) => string | readonly ErrorRecord[]) | null;
  /** Prefix of the execution's error; the error of the call follows. */
  readonly wrapping?: (facts: Facts) => string;
  /** Times count from the start of the failing call. */
  readonly lines: readonly Line[];
  /** Number of nodes that are up, counted from the first; the others log nothing. All by default. */
  readonly nodesUp?: number;
};

export const capabilities = {
  cron: ['cron-trigger@1.0.0', 'Trigger'],
  http: ['http-actions@1.0.0', 'SendRequest'],
  enclave: ['confidential-http@1.0.0', 'SendRequest'],
  agree: ['consensus@1.0.0', 'Simple'],
  report: ['consensus@1.0.0', 'Report'],
  read: ['evm:read@1.0.0', 'CallContract'],
  write: ['evm:write@1.0.0', 'WriteReport'],
} as const;

/** @returns lines spread evenly */
function spread(fromMs: number, toMs: number, count: number, text: (facts: Facts, index: number) => string): Line[] {
  const gapMs = (toMs - fromMs) / count;
  return Array.from({ length: count }, (_, index) => [fromMs + index * gapMs, (facts) => text(facts, index)]);
}

const goldBase = 2_315;
/** The price that the node with the stopped source reports. */
const oldPrice = 2411.07;

function priceOf(facts: Facts, base: number): string {
  return (base * (0.99 + facts.many / 5_000_000)).toFixed(2);
}

/** @param pair such as `ETH/USD` @param base the price around which it moves @param staleNode a node that reports an old price */
function feed(pair: string, base: number, staleNode?: number): Recipe {
  const priceAt = (facts: Facts, node: number) =>
    node === staleNode ? `${oldPrice} (1 of 3 sources)` : `${priceOf(facts, base)} (3 of 3 sources)`;
  return {
    calls: {
      'source-a': 'http 60-540',
      'source-b': 'http 60-810',
      'source-c': 'http 65-690',
      agree: 'agree 830-1500',
      write: 'write 1540-3300',
    },
    lines: [
      [820, (facts, node) => `${pair} ${priceAt(facts, node)}`],
      [1_510, (facts) => `median ${priceOf(facts, base)}, deviation 0.0${facts.few} %`],
      [3_310, ({ hash }) => `report 0x${hash.slice(0, 16)} written`, 'verbose'],
    ],
  };
}

/** Part of every text of the second organization: no other organization may see it. */
export const foreignMarker = 'BLACKWOOD-PRIVATE';

const payout: Recipe = {
  calls: {
    balances: 'http 60-720',
    batch: 'http 80-1150',
    agree: 'agree 1200-2050',
    post: 'http 2100-2900',
    write: 'write 2960-5400',
  },
  lines: [
    [70, 'config: ledger=https://ledger.harbor-markets.example currency=EUR retries=3', 'verbose'],
    [730, ({ few }) => `GET /v2/balances 200 in ${few * 11} ms`, 'verbose'],
    [1_160, ({ ref, few, many }) => `batch bch_${ref}: ${few} payouts, ${many}.00 EUR`],
    [2_060, ({ ref }) => `agreed on batch bch_${ref}`, 'verbose'],
    [2_910, ({ few }) => `POST /v2/payouts 201: ${few} payouts accepted`],
    [5_410, ({ hash }) => `receipt 0x${hash} mined`, 'verbose'],
  ],
};

export const recipes = {
  payout,
  foreignPayout: { ...payout, linePrefix: `${foreignMarker}: ` },
  bitcoin: feed('BTC/USD', 61_000),
  ether: feed('ETH/USD', 3_412),
  gold: feed('XAU/USD', goldBase, 7),
  settlement: {
    calls: { positions: 'read 60-640', fetch: 'http 90-900', agree: 'report 950-1900', write: 'write 1950-4800' },
    lines: [
      [650, ({ few, many }) => `read ${few} open positions at block ${21_000_000 + many}`],
      [910, ({ ref, many, address }) => `quote ${ref}: ${many}.50 USDC for 0x${address}`],
      [1_910, ({ ref, nodes }) => `agreed on settlement ${ref} (${nodes} of ${nodes} nodes)`],
      [4_810, ({ ref, hash }) => `settled ${ref} in transaction 0x${hash}`],
    ],
  },
  rates: {
    calls: { fetch: 'http 60-1300', agree: 'agree 1350-2100', post: 'http 2150-2700' },
    lines: [
      [1_310, ({ few, ref }) => `GET /v1/latest?base=EUR 200: ${few} rates, request ${ref}`],
      [2_110, ({ few }) => `agreed on ${few} rates`],
      [2_710, ({ many }) => `published as version ${many}`],
    ],
  },
  reserves: {
    calls: {
      supply: 'read 55-520',
      custodian: 'http 60-1900',
      bank: 'http 60-1450',
      agree: 'report 1950-2900',
      write: 'write 2950-6200',
    },
    lines: [
      [530, ({ few }) => `token supply 84,2${few + 50}.00`],
      [1_910, ({ ref, few }) => `custodian statement ${ref}: 84,9${few + 50}.00`],
      [2_910, ({ few }) => `reserve ratio 1.0${few + 50}`],
      [6_210, ({ hash }) => `attested in 0x${hash}`],
    ],
  },
  /** Takes a little longer than the gap between two starts, so that one execution is always in progress. */
  risk: {
    calls: {
      fetch: 'enclave 60-4200',
      simulate: 'enclave 4300-252000',
      agree: 'report 252100-255000',
      write: 'write 255100-262000',
    },
    lines: [
      [4_250, ({ ref, many }) => `loaded portfolio ${ref}: ${many} positions, inside the enclave`],
      ...spread(30_000, 250_000, 5, ({ many }, index) => `simulated ${(index + 1) * 20} % of ${many}0 paths`),
      [262_010, ({ ref, many }) => `value at risk ${many}.00 USD, report ${ref}`],
    ],
  },
  /** Writes more log than fits in a message: 90 lines per node. */
  report: {
    calls: { positions: 'http 60-6000', prices: 'http 80-4100', agree: 'report 24000-26000', post: 'http 26100-29000' },
    lines: [
      ...spread(
        6_100,
        23_500,
        88,
        ({ many }, index) => `fund ${index + 1} of 88: net asset value ${many + index * 17}.25 EUR`,
      ),
      [29_010, ({ ref }) => `report ${ref} delivered to 3 recipients`],
    ],
  },
  rebalance: {
    calls: { vaults: 'read 60-1100', prices: 'http 70-850', agree: 'report 3300-4100', write: 'write 4150-7800' },
    lines: [
      ...spread(
        1_150,
        3_200,
        32,
        ({ few }, index) => `vault ${index + 1} of 32: collateral ratio 1.${few + index + 20}`,
      ),
      [4_110, ({ few, many }) => `move ${many}.00 USDC into vault ${few % 32}`],
      [7_810, ({ hash }) => `rebalanced in 0x${hash}`],
    ],
  },
} as const satisfies Readonly<Record<string, Recipe>>;

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

function deviation(facts: Facts): string {
  return ((oldPrice / Number(priceOf(facts, goldBase)) - 1) * 100).toFixed(1);
}

export const faults = {
  /**
   * Since the bad release, the ledger does not know a field that the release sends. One log line contains a (made-up)
   * secret.
   */
  unknownField: {
    ends: { call: 'post', afterMs: 1_450, status: 'FAILURE', classifiedStatus: 'USER_ERROR' },
    errors: ({ few, ref }) =>
      `http-actions@1.0.0 SendRequest: POST https://ledger.harbor-markets.example/v2/payouts: 422 Unprocessable Entity: unknown field "settlementCurrency" in payouts[${few - 1}] (batch bch_${ref})`,
    wrapping: () => 'payout run failed: ',
    lines: [
      [10, 'POST /v2/payouts Authorization: Bearer not-a-real-token-0000000042'],
      [420, ({ few }) => `POST /v2/payouts 422 in ${few * 9} ms: unknown field "settlementCurrency"`],
      [430, 'attempt 1 of 3 failed, next in 400 ms'],
      [900, 'attempt 2 of 3 failed, next in 400 ms'],
      [1_440, ({ ref }) => `giving up on batch bch_${ref} after 3 attempts`],
    ],
  },
  /** The platform's outage. */
  quorumLost: {
    ends: { call: 'agree', afterMs: 20_000, status: 'failure', classifiedStatus: 'SYSTEM_ERROR' },
    errors: ({ nodes, ref }) =>
      `consensus@1.0.0: quorum not reached: 3 of ${nodes} nodes answered request ${ref} within 20s`,
    lines: [
      [5, ({ ref }) => `waiting for observations of request ${ref}`],
      [19_990, ({ nodes }) => `3 of ${nodes} observations, giving up`],
    ],
    nodesUp: 3,
  },
  /** The flaky capability. */
  gatewaySilent: {
    ends: { call: 'fetch', afterMs: 10_000, status: 'FAILURE', classifiedStatus: 'SYSTEM_ERROR' },
    errors: ({ few, ref }) => `http-actions@1.0.0: gateway gw-0${few % 10} did not answer request ${ref} within 10s`,
    wrapping: () => 'fetching rates: ',
    lines: [
      [5, ({ few, ref }) => `GET /v1/latest?base=EUR through gw-0${few % 10}, request ${ref}`],
      [9_990, ({ few }) => `no answer from gw-0${few % 10} after 10.0 s`],
    ],
  },
  /** Recurs with other hashes, addresses and amounts each time, and one cause. */
  slippage: {
    ends: { call: 'write', afterMs: 3_100, status: 'failure', classifiedStatus: 'USER_ERROR' },
    errors: ({ hash, address, few, many }) =>
      `evm:write@1.0.0 WriteReport: transaction 0x${hash} from 0x${address} reverted: SlippageExceeded(minimum ${many * 100}, received ${many * 100 - few * 37})`,
    wrapping: ({ ref }) => `settlement ${ref} failed: `,
    lines: [
      [40, ({ hash, many }) => `sent 0x${hash}, gas limit 4${many}`],
      [3_080, ({ hash, many }) => `0x${hash} reverted in block ${21_000_000 + many}`],
    ],
  },
  /** A long error: its last words name the problem, and the call that failed is reported as completed. */
  noAllowance: {
    ends: { call: 'write', afterMs: 2_400, status: 'COMPLETED', classifiedStatus: 'USER_ERROR' },
    errors: (facts) =>
      `${wrappings.slice(5).join(': ')}: ${callOf(facts)}: execution reverted: ERC20: insufficient allowance (spender 0x${facts.address}, allowance 0, needed ${facts.many}000000)`,
    wrapping: ({ ref, few }) => `${wrappings.slice(0, 5).join(': ')} [plan ${ref}, vault ${few % 32}]: `,
    lines: [
      [30, 'estimating gas'],
      [2_300, 'gas estimation failed on 3 of 3 endpoints: execution reverted'],
      [2_390, ({ ref }) => `plan ${ref} abandoned: insufficient allowance`],
    ],
  },
  /** All nodes but one report that they cannot agree; the last one reports why. */
  diverging: {
    ends: { call: 'agree', afterMs: 1_900, status: 'Failure', classifiedStatus: 'SYSTEM_ERROR' },
    errors: (facts) => [
      {
        error: `consensus@1.0.0: observations deviate by ${deviation(facts)} % (limit 2.0 %): median ${priceOf(facts, goldBase)}, node-7 ${oldPrice}`,
        count: facts.nodes - 1,
      },
      { error: 'node-7: source metals-b: x509: certificate has expired, using the last known price', count: 1 },
    ],
    wrapping: () => 'XAU/USD not updated: ',
    lines: [[1_880, (_, node) => (node === 7 ? undefined : 'deviation above the limit: not writing')]],
  },
  noDetail: {
    ends: { call: 'bank', afterMs: 2_500, status: 'FAILURE', classifiedStatus: 'SYSTEM_ERROR' },
    errors: null,
    lines: [],
  },
  /** Text that tries to become markup, a mention, a link or a formula; the arrow is U+202E, which reverses the rest. */
  hostileText: {
    ends: { call: 'fetch', afterMs: 900, status: 'failure', classifiedStatus: 'USER_ERROR' },
    errors: ({ ref }) =>
      `<!channel> <@U0EVIL0001> *rejected* <https://evil.example/${ref}|click here> \`\`\`code\`\`\` & <script>alert(1)</script> \u202etxt.exe`,
    lines: [
      [10, '=HYPERLINK("https://evil.example","open")'],
      [20, '<!here> _please_ approve <https://evil.example|this> \u0007\u001b[31mnow\u001b[0m'],
      [890, ({ ref }) => `rejected ${ref} &lt;b&gt; @channel`],
    ],
  },
  cyrillicTimeout: {
    ends: { call: 'fetch', afterMs: 8_000, status: 'FAILURE', classifiedStatus: 'USER_ERROR' },
    errors: ({ ref }) => `не удалось получить курс ЦБ (запрос ${ref}): истекло время ожидания 8 с`,
    wrapping: () => 'обновление курсов: ',
    lines: [[7_990, 'сервер не ответил за 8 с']],
  },
  refusedByBank: {
    ends: { call: 'post', afterMs: 700, status: 'FAILURE', classifiedStatus: 'USER_ERROR' },
    errors: ({ ref }) => `${foreignMarker}: payout ${ref} refused by the bank`,
    wrapping: () => `${foreignMarker} run failed: `,
    lines: [[690, ({ ref }) => `refused ${ref}`]],
  },
} as const satisfies Readonly<Record<string, Fault>>;
