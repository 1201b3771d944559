/** The ordinary run of each kind of workflow in the sample: which capabilities it calls and what its nodes write down. */
import type { Facts, Line, Recipe, Step } from './recipe.ts';

export const capability = {
  cron: 'cron-trigger@1.0.0',
  http: 'http-actions@1.0.0',
  confidential: 'confidential-http@1.0.0',
  consensus: 'consensus@1.0.0',
  read: 'evm:read@1.0.0',
  write: 'evm:write@1.0.0',
} as const;

function step(label: string, capabilityId: string, method: string, startMs: number, endMs: number): Step {
  const doneStatus = capabilityId === capability.cron ? 'SUCCESS' : 'COMPLETED';
  return { label, capabilityId, method, startMs, endMs, doneStatus };
}

const trigger = step('trigger', capability.cron, 'Trigger', 0, 45);

function line(atMs: number, text: (facts: Facts) => string): Line {
  return { atMs, say: text };
}

function verbose(atMs: number, text: (facts: Facts) => string): Line {
  return { atMs, say: text, isVerbose: true };
}

const started = verbose(50, (facts) => `started by cron slot ${facts.slot}, release ${facts.release}`);

/** @param what the lines of the log after the first, evenly spread */
function chatter(fromMs: number, toMs: number, count: number, what: (facts: Facts, index: number) => string): Line[] {
  const gapMs = (toMs - fromMs) / count;
  return Array.from({ length: count }, (_, index) => line(fromMs + index * gapMs, (facts) => what(facts, index)));
}

export const payout: Recipe = {
  steps: [
    trigger,
    step('balances', capability.http, 'SendRequest', 60, 720),
    step('batch', capability.http, 'SendRequest', 80, 1_150),
    step('agree', capability.consensus, 'Simple', 1_200, 2_050),
    step('post', capability.http, 'SendRequest', 2_100, 2_900),
    step('write', capability.write, 'WriteReport', 2_960, 5_400),
  ],
  lines: [
    started,
    verbose(70, () => 'config: ledger=https://ledger.harbor-markets.example currency=EUR retries=3'),
    verbose(730, (facts) => `GET /v2/balances 200 in ${facts.few * 11} ms`),
    line(1_160, (facts) => `batch bch_${facts.ref}: ${facts.few} payouts, ${facts.many}.00 EUR`),
    verbose(2_060, (facts) => `agreed on batch bch_${facts.ref}`),
    line(2_910, (facts) => `POST /v2/payouts 201: ${facts.few} payouts accepted`),
    verbose(5_410, (facts) => `receipt 0x${facts.hash} mined`),
  ],
};

/** @param pair such as `ETH/USD` @param base the price around which it moves */
export function feed(pair: string, base: number): Recipe {
  return {
    steps: [
      trigger,
      step('source-a', capability.http, 'SendRequest', 60, 540),
      step('source-b', capability.http, 'SendRequest', 60, 810),
      step('source-c', capability.http, 'SendRequest', 65, 690),
      step('agree', capability.consensus, 'Simple', 830, 1_500),
      step('write', capability.write, 'WriteReport', 1_540, 3_300),
    ],
    lines: [
      started,
      line(820, (facts) => `${pair} ${priceOf(facts, base)} (3 of 3 sources)`),
      line(1_510, (facts) => `median ${priceOf(facts, base)}, deviation 0.0${facts.few} %`),
      verbose(3_310, (facts) => `report 0x${facts.hash.slice(0, 16)} written`),
    ],
  };
}

export function priceOf(facts: Facts, base: number): string {
  return (base * (0.99 + facts.many / 5_000_000)).toFixed(2);
}

export const settle: Recipe = {
  steps: [
    trigger,
    step('positions', capability.read, 'CallContract', 60, 640),
    step('fetch', capability.http, 'SendRequest', 90, 900),
    step('agree', capability.consensus, 'Report', 950, 1_900),
    step('write', capability.write, 'WriteReport', 1_950, 4_800),
  ],
  lines: [
    started,
    line(650, (facts) => `read ${facts.few} open positions at block ${21_000_000 + facts.many}`),
    line(910, (facts) => `quote ${facts.ref}: ${facts.many}.50 USDC for 0x${facts.address}`),
    line(1_910, (facts) => `agreed on settlement ${facts.ref} (${facts.nodes} of ${facts.nodes} nodes)`),
    line(4_810, (facts) => `settled ${facts.ref} in transaction 0x${facts.hash}`),
  ],
};

export const rates: Recipe = {
  steps: [
    trigger,
    step('fetch', capability.http, 'SendRequest', 60, 1_300),
    step('agree', capability.consensus, 'Simple', 1_350, 2_100),
    step('post', capability.http, 'SendRequest', 2_150, 2_700),
  ],
  lines: [
    started,
    line(1_310, (facts) => `GET /v1/latest?base=EUR 200: ${facts.few} rates, request ${facts.ref}`),
    line(2_110, (facts) => `agreed on ${facts.few} rates`),
    line(2_710, (facts) => `published as version ${facts.many}`),
  ],
};

export const reserves: Recipe = {
  steps: [
    trigger,
    step('supply', capability.read, 'CallContract', 55, 520),
    step('custodian', capability.http, 'SendRequest', 60, 1_900),
    step('bank', capability.http, 'SendRequest', 60, 1_450),
    step('agree', capability.consensus, 'Report', 1_950, 2_900),
    step('write', capability.write, 'WriteReport', 2_950, 6_200),
  ],
  lines: [
    started,
    line(530, (facts) => `token supply 84,2${facts.few + 50}.00`),
    line(1_910, (facts) => `custodian statement ${facts.ref}: 84,9${facts.few + 50}.00`),
    line(2_910, (facts) => `reserve ratio 1.0${facts.few + 50}`),
    line(6_210, (facts) => `attested in 0x${facts.hash}`),
  ],
};

/** Runs a little longer than the gap between two starts, so that one is always in progress. */
export const risk: Recipe = {
  steps: [
    trigger,
    step('fetch', capability.confidential, 'SendRequest', 60, 4_200),
    step('simulate', capability.confidential, 'SendRequest', 4_300, 252_000),
    step('agree', capability.consensus, 'Report', 252_100, 255_000),
    step('write', capability.write, 'WriteReport', 255_100, 262_000),
  ],
  lines: [
    started,
    line(4_250, (facts) => `loaded portfolio ${facts.ref}: ${facts.many} positions, inside the enclave`),
    ...chatter(30_000, 250_000, 5, (facts, index) => `simulated ${(index + 1) * 20} % of ${facts.many}0 paths`),
    line(262_010, (facts) => `value at risk ${facts.many}.00 USD, report ${facts.ref}`),
  ],
};

/** Writes more log than fits in a message: 90 lines a node. */
export const report: Recipe = {
  steps: [
    trigger,
    step('positions', capability.http, 'SendRequest', 60, 6_000),
    step('prices', capability.http, 'SendRequest', 80, 4_100),
    step('agree', capability.consensus, 'Report', 24_000, 26_000),
    step('post', capability.http, 'SendRequest', 26_100, 29_000),
  ],
  lines: [
    started,
    ...chatter(
      6_100,
      23_500,
      88,
      (facts, index) => `fund ${index + 1} of 88: net asset value ${facts.many + index * 17}.25 EUR`,
    ),
    line(29_010, (facts) => `report ${facts.ref} delivered to 3 recipients`),
  ],
};

export const rebalance: Recipe = {
  steps: [
    trigger,
    step('vaults', capability.read, 'CallContract', 60, 1_100),
    step('prices', capability.http, 'SendRequest', 70, 850),
    step('agree', capability.consensus, 'Report', 3_300, 4_100),
    step('write', capability.write, 'WriteReport', 4_150, 7_800),
  ],
  lines: [
    started,
    ...chatter(
      1_150,
      3_200,
      32,
      (facts, index) => `vault ${index + 1} of 32: collateral ratio 1.${facts.few + index + 20}`,
    ),
    line(4_110, (facts) => `move ${facts.many}.00 USDC into vault ${facts.few % 32}`),
    line(7_810, (facts) => `rebalanced in 0x${facts.hash}`),
  ],
};
