/** The workflows of the sample organization and what happens to them. docs/sample.md tells the same as a table. */
import * as faults from './faults.ts';
import { dayMs } from './moments.ts';
import type { Blemish, Recipe } from './recipe.ts';
import * as recipes from './recipes.ts';
import { both, deployed, inOutage, type SampleWorkflow, since, some, workflow } from './stories.ts';

const outage = { fault: faults.quorumLost, hits: inOutage };

/** Two nodes time out; the others carry the run, which succeeds with errors. */
const twoNodesLate: Blemish = {
  step: 'balances',
  hits: some(2, 12),
  errors: (facts) => [
    { error: `http-actions@1.0.0 SendRequest: GET /v2/balances?run=${facts.ref}: i/o timeout after 5s`, count: 2 },
  ],
  lines: [
    {
      atMs: 700,
      say: (_facts, node) => (node === 3 || node === 8 ? 'GET /v2/balances: i/o timeout after 5s' : undefined),
    },
  ],
};

const gold: Recipe = {
  ...recipes.feed('XAU/USD', faults.goldBase),
  lines: recipes
    .feed('XAU/USD', faults.goldBase)
    .lines.map((line, index) =>
      index === 1
        ? { ...line, say: (facts, node) => (node === 7 ? 'XAU/USD 2411.07 (1 of 3 sources)' : line.say(facts, node)) }
        : line,
    ),
};

const thirtySeconds = { everySeconds: 30, historyDays: 7 } as const;

const failing: readonly SampleWorkflow[] = [
  workflow({
    ...thirtySeconds,
    key: 'payments',
    phaseSeconds: 4,
    recipe: recipes.payout,
    troubles: [{ fault: faults.unknownField, hits: since('badRelease') }],
    deployments: [
      deployed('2.7.0', 7),
      deployed('2.7.1', 3.2),
      { release: '2.8.0', status: 'ACTIVE', at: (moments) => moments.badRelease },
    ],
  }),
  workflow({
    key: 'collateral-rebalance',
    everySeconds: 3_600,
    phaseSeconds: 900,
    nodes: 7,
    recipe: recipes.rebalance,
    creditMicros: 31_000,
    troubles: [{ fault: faults.noAllowance, hits: since('allowanceGoneSince') }],
    deployments: [deployed('0.9.0', 30), deployed('0.9.4', 17.3)],
  }),
  workflow({
    key: 'xau-usd-price-feed',
    everySeconds: 900,
    phaseSeconds: 30,
    recipe: gold,
    troubles: [{ fault: faults.diverging, hits: both(since('divergingSince'), some(2, 8)) }],
  }),
  workflow({
    key: 'fx-rates',
    everySeconds: 300,
    phaseSeconds: 20,
    recipe: recipes.rates,
    troubles: [{ fault: faults.gatewaySilent, hits: some(3, 100) }],
    deployments: [deployed('3.1.0', 30), deployed('3.2.0', 9.4)],
  }),
];

const outageMembers: readonly SampleWorkflow[] = [
  workflow({
    key: 'payments-eu',
    everySeconds: 900,
    phaseSeconds: 75,
    recipe: recipes.payout,
    troubles: [outage],
    blemish: twoNodesLate,
    deployments: [deployed('2.6.3', 30), deployed('2.7.1', 3.1)],
  }),
  workflow({
    ...thirtySeconds,
    key: 'eth-usd-price-feed',
    phaseSeconds: 11,
    nodes: 7,
    recipe: recipes.feed('ETH/USD', 3_412),
    creditMicros: 1_800,
    troubles: [outage],
  }),
  workflow({
    key: 'settlement',
    everySeconds: 900,
    phaseSeconds: 130,
    recipe: recipes.settle,
    creditMicros: 12_500,
    troubles: [outage, { fault: faults.slippage, hits: some(1, 120) }],
    deployments: [deployed('5.0.1', 30), deployed('5.1.0', 12.6), deployed('5.1.2', 6.2)],
  }),
  workflow({
    key: 'proof-of-reserves',
    everySeconds: 900,
    phaseSeconds: 400,
    nodes: 10,
    recipe: recipes.reserves,
    creditMicros: 22_000,
    troubles: [outage, { fault: faults.noDetail, hits: some(1, 400) }],
  }),
  workflow({
    key: 'risk-model',
    everySeconds: 240,
    historyDays: 7,
    nodes: 7,
    recipe: recipes.risk,
    speed: [97, 109],
    isInTee: true,
    creditMicros: 87_000,
    troubles: [outage],
    deployments: [deployed('1.4.0', 7), deployed('1.5.0', 4.8)],
  }),
];

const quiet: readonly SampleWorkflow[] = [
  workflow({
    key: 'payments-staging',
    everySeconds: 3_600,
    phaseSeconds: 1_500,
    recipe: recipes.payout,
    deployments: [
      deployed('2.7.1', 30),
      {
        release: '2.9.0-rc.1',
        status: 'FAILED',
        at: (moments) => moments.failedDeployment,
        errorMessage:
          'deployment rejected: binary main.wasm is 21.4 MB, the limit is 20 MB; release 2.7.1 keeps running',
      },
    ],
  }),
  workflow({
    key: 'carbon-credits',
    everySeconds: 900,
    phaseSeconds: 610,
    recipe: recipes.settle,
    endsAt: (moments) => moments.silentSince,
  }),
  workflow({ key: 'daily-nav-report', everySeconds: 86_400, phaseSeconds: 21_600, recipe: recipes.report }),
  workflow({
    key: 'hostile-markup',
    name: '<!channel> *bold* <https://evil.example|click>',
    everySeconds: 3_600,
    phaseSeconds: 2_400,
    nodes: 7,
    recipe: recipes.rates,
    troubles: [{ fault: faults.hostileText, hits: some(2, 12) }],
  }),
  workflow({
    key: 'other-alphabet',
    name: 'Курсы-валют',
    everySeconds: 3_600,
    phaseSeconds: 3_000,
    recipe: recipes.rates,
    troubles: [{ fault: faults.cyrillicTimeout, hits: some(1, 20) }],
  }),
  workflow({
    key: 'loyalty-points',
    everySeconds: 3_600,
    phaseSeconds: 300,
    status: 'PAUSED',
    recipe: recipes.settle,
    endsAt: (moments) => moments.pausedAt,
    deployments: [deployed('1.2.0', 30), { release: '1.2.0', status: 'PAUSED', at: (moments) => moments.pausedAt }],
  }),
  workflow({ key: 'invoice-sync', everySeconds: null, recipe: recipes.rates, deployments: [deployed('0.1.0', 2.3)] }),
  workflow({
    key: 'legacy-payouts',
    everySeconds: 3_600,
    phaseSeconds: 1_100,
    status: 'DELETED',
    recipe: recipes.payout,
    endsAt: (moments) => moments.deletedAt,
    deployments: [
      deployed('1.9.9', 30),
      { release: '1.9.9', status: 'DELETED', at: ({ builtAt }) => builtAt - 12 * dayMs },
    ],
  }),
];

export const sampleWorkflows: readonly SampleWorkflow[] = [...failing, ...outageMembers, ...quiet];
