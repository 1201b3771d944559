/** Data: the three organizations of the sample and the history of their workflows. docs/sample.md shows the same as a table. */
import type { DeploymentStatus, ErrorRecord } from '../records/record.ts';
import { badReleaseDaysAgo } from './moments.ts';
import { type Facts, type faults, foreignMarker, type Line, type recipes } from './recipes.ts';

/** Times of an event: always if there is no condition. `some`: irregularly, `count` of every `of` consecutive executions. */
export type Occurrence = {
  readonly sinceDaysAgo?: number;
  readonly inOutage?: true;
  readonly some?: readonly [count: number, of: number];
};

/** Times are in days before the sample was built. */
type Options = {
  /** Defaults to the key. Ids depend only on the key. */
  readonly name?: string;
  /** Length of the history; 30 by default. */
  readonly days?: number;
  /** 9 by default. */
  readonly nodes?: number;
  /** The fastest and the slowest execution, in percent of the recipe's times; 80 to 135 by default. */
  readonly speed?: readonly [min: number, max: number];
  readonly isInTee?: true;
  /** 4,200 by default. */
  readonly creditMicros?: number;
  /** The first fault that occurs decides. */
  readonly faults?: { readonly [Name in keyof typeof faults]?: Occurrence };
  /** Errors on a call that is reported as completed, in an execution that succeeds. */
  readonly blemish?: Occurrence & {
    readonly call: string;
    readonly errors: (facts: Facts) => readonly ErrorRecord[];
    readonly lines: readonly Line[];
  };
  /** Time of each deployment, oldest first; 1.0.0 at the beginning of the history by default. */
  readonly releases?: Readonly<Record<string, number>>;
  /** Last deployment: one that was refused, or that paused or deleted the workflow. */
  readonly last?: {
    readonly status: Exclude<DeploymentStatus, 'ACTIVE' | 'PENDING'>;
    readonly daysAgo: number;
    readonly release?: string;
    readonly errorMessage?: string;
  };
  /** Days since the last execution. */
  readonly silentDays?: number;
};

/**
 * @param every the period in seconds, and the offset at which an execution is due; null for a workflow that runs only
 *   when called
 */
function workflow(
  every: readonly [period: number, phase: number] | null,
  recipe: keyof typeof recipes,
  options: Options = {},
) {
  return { every, recipe, ...options } as const;
}

export type Workflow = ReturnType<typeof workflow>;

export type SampleOrganization = {
  readonly organizationId: string;
  readonly displayName: string;
  readonly tenantId: number;
  readonly ageDays: number;
  /** Undefined for a key without a person. */
  readonly account?: { readonly memberId: string; readonly displayName: string; readonly emailAddress: string };
  /** First eight digits of every uuid and every 64-digit id. */
  readonly idPrefix?: string;
  readonly workflows: Readonly<Record<string, Workflow>>;
};

/** Part of every id of the second organization, as `foreignMarker` is part of every text. */
export const foreignIdPrefix = 'b1acc0de';

const hour = 1 / 24;
const quorumLost = { inOutage: true } as const;

const harborWorkflows = {
  payments: workflow([30, 4], 'payout', {
    days: 7,
    faults: { unknownField: { sinceDaysAgo: badReleaseDaysAgo } },
    releases: { '2.7.0': 7, '2.7.1': 3.2, '2.8.0': badReleaseDaysAgo },
  }),
  'collateral-rebalance': workflow([3_600, 900], 'rebalance', {
    nodes: 7,
    creditMicros: 31_000,
    faults: { noAllowance: { sinceDaysAgo: 5 * hour } },
    releases: { '0.9.0': 30, '0.9.4': 17.3 },
  }),
  'xau-usd-price-feed': workflow([900, 30], 'gold', { faults: { diverging: { sinceDaysAgo: 1, some: [2, 8] } } }),
  'fx-rates': workflow([300, 20], 'rates', {
    faults: { gatewaySilent: { some: [3, 100] } },
    releases: { '3.1.0': 30, '3.2.0': 9.4 },
  }),
  'payments-eu': workflow([900, 75], 'payout', {
    faults: { quorumLost },
    releases: { '2.6.3': 30, '2.7.1': 3.1 },
    /** Two nodes time out; the others complete the execution. */
    blemish: {
      call: 'balances',
      some: [2, 12],
      errors: ({ ref }) => [
        { error: `http-actions@1.0.0 SendRequest: GET /v2/balances?run=${ref}: i/o timeout after 5s`, count: 2 },
      ],
      lines: [[700, (_, node) => (node === 3 || node === 8 ? 'GET /v2/balances: i/o timeout after 5s' : undefined)]],
    },
  }),
  'eth-usd-price-feed': workflow([30, 11], 'ether', { days: 7, nodes: 7, creditMicros: 1_800, faults: { quorumLost } }),
  settlement: workflow([900, 130], 'settlement', {
    creditMicros: 12_500,
    faults: { quorumLost, slippage: { some: [1, 120] } },
    releases: { '5.0.1': 30, '5.1.0': 12.6, '5.1.2': 6.2 },
  }),
  'proof-of-reserves': workflow([900, 400], 'reserves', {
    nodes: 10,
    creditMicros: 22_000,
    faults: { quorumLost, noDetail: { some: [1, 400] } },
  }),
  'risk-model': workflow([240, 0], 'risk', {
    days: 7,
    nodes: 7,
    speed: [97, 109],
    isInTee: true,
    creditMicros: 87_000,
    faults: { quorumLost },
    releases: { '1.4.0': 7, '1.5.0': 4.8 },
  }),
  'payments-staging': workflow([3_600, 1_500], 'payout', {
    releases: { '2.7.1': 30 },
    last: {
      status: 'FAILED',
      daysAgo: 3 * hour,
      release: '2.9.0-rc.1',
      errorMessage: 'deployment rejected: binary main.wasm is 21.4 MB, the limit is 20 MB; release 2.7.1 keeps running',
    },
  }),
  'carbon-credits': workflow([900, 610], 'settlement', { silentDays: 6 * hour }),
  'daily-nav-report': workflow([86_400, 21_600], 'report'),
  'hostile-markup': workflow([3_600, 2_400], 'rates', {
    name: '<!channel> *bold* <https://evil.example|click>',
    nodes: 7,
    faults: { hostileText: { some: [2, 12] } },
  }),
  'other-alphabet': workflow([3_600, 3_000], 'rates', {
    name: 'Курсы-валют',
    faults: { cyrillicTimeout: { some: [1, 20] } },
  }),
  'loyalty-points': workflow([3_600, 300], 'settlement', {
    releases: { '1.2.0': 30 },
    last: { status: 'PAUSED', daysAgo: 3 },
  }),
  'invoice-sync': workflow(null, 'rates', { releases: { '0.1.0': 2.3 } }),
  'legacy-payouts': workflow([3_600, 1_100], 'payout', {
    releases: { '1.9.9': 30 },
    last: { status: 'DELETED', daysAgo: 12 },
  }),
} as const;

const foreignWorkflows = {
  'foreign-payments': workflow([900, 60], 'foreignPayout', {
    name: 'payments',
    days: 10,
    faults: { refusedByBank: { some: [1, 10] } },
    releases: { [foreignMarker]: 10 },
  }),
  'foreign-vault': workflow([3_600, 700], 'foreignPayout', {
    name: `vault-audit ${foreignMarker}`,
    releases: { [foreignMarker]: 30 },
  }),
} as const;

/** The sample organization, a second one that the first must never see, and one that was gated after its key was created. */
export const organizations = {
  sample: {
    organizationId: 'org_harbor_markets',
    displayName: 'Harbor Markets',
    tenantId: 1,
    ageDays: 120,
    account: { memberId: 'mem_7c31f0', displayName: 'Dana Whitfield', emailAddress: 'dana@harbor-markets.example' },
    workflows: harborWorkflows,
  },
  second: {
    organizationId: `org_${foreignMarker}`,
    displayName: `Blackwood Capital (${foreignMarker})`,
    tenantId: 2,
    ageDays: 200,
    account: {
      memberId: `mem_${foreignMarker}_1`,
      displayName: foreignMarker,
      emailAddress: `${foreignMarker}@blackwood.example`,
    },
    idPrefix: foreignIdPrefix,
    workflows: foreignWorkflows,
  },
  gated: {
    organizationId: 'org_meridian_labs',
    displayName: 'Meridian Labs',
    tenantId: 3,
    ageDays: 60,
    workflows: { 'gated-trial': workflow([3_600, 0], 'bitcoin', { name: 'trial-feed', days: 3 }) },
  },
} as const satisfies Readonly<Record<string, SampleOrganization>>;
