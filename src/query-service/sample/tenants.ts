/** The three organizations of the sample: the one to try, one that nobody may see through it, one that was gated. */
import type { AccountRecord, OrganizationRecord } from '../records/record.ts';
import { dayMs, type Moments } from './moments.ts';
import type { Fault } from './recipe.ts';
import * as recipes from './recipes.ts';
import { deployed, type SampleWorkflow, some, workflow } from './stories.ts';
import { sampleWorkflows } from './workflows.ts';

export type Tenant = {
  readonly organization: (moments: Moments) => OrganizationRecord;
  /** None where a key has no person behind it. */
  readonly account: ((moments: Moments) => AccountRecord) | null;
  /** The first eight digits of every uuid and every 64-digit id; none for the sample organization. */
  readonly idPrefix: string;
  readonly workflows: readonly SampleWorkflow[];
};

/** Stands in every text of the second organization, and `foreignIdPrefix` in every id: neither may ever be seen by another. */
export const foreignMarker = 'BLACKWOOD-PRIVATE';
export const foreignIdPrefix = 'b1acc0de';

const seen: Fault = {
  step: 'post',
  classifiedStatus: 'USER_ERROR',
  eventStatus: 'FAILURE',
  takesMs: 700,
  errors: (facts) => [{ error: `${foreignMarker}: payout ${facts.ref} refused by the bank`, count: facts.nodes }],
  wrap: (error) => `${foreignMarker} run failed: ${error}`,
  lines: [{ atMs: 690, say: (facts) => `${foreignMarker}: refused ${facts.ref}` }],
};

const foreignPayout = {
  ...recipes.payout,
  lines: recipes.payout.lines.map((line) => ({
    ...line,
    say: (...said: Parameters<typeof line.say>) => `${foreignMarker}: ${line.say(...said) ?? ''}`,
  })),
};

const foreignWorkflows: readonly SampleWorkflow[] = [
  workflow({
    key: 'foreign-payments',
    name: 'payments',
    everySeconds: 900,
    historyDays: 10,
    phaseSeconds: 60,
    recipe: foreignPayout,
    troubles: [{ fault: seen, hits: some(1, 10) }],
    deployments: [deployed(foreignMarker, 10)],
  }),
  workflow({
    key: 'foreign-vault',
    name: `vault-audit ${foreignMarker}`,
    everySeconds: 3_600,
    phaseSeconds: 700,
    recipe: foreignPayout,
    deployments: [deployed(foreignMarker, 30)],
  }),
];

const gatedWorkflows: readonly SampleWorkflow[] = [
  workflow({
    key: 'gated-trial',
    name: 'trial-feed',
    everySeconds: 3_600,
    historyDays: 3,
    recipe: recipes.feed('BTC/USD', 61_000),
  }),
];

/** Its last change is the building of the sample: load.ts reads from it how old the sample is. */
function organization(organizationId: string, displayName: string, tenantId: number, ageDays: number) {
  return ({ builtAt }: Moments): OrganizationRecord => ({
    organizationId,
    displayName,
    restrictionStatus: 'FULL_ACCESS',
    activeStatus: 'ACTIVE',
    createdAt: builtAt - ageDays * dayMs,
    updatedAt: builtAt,
    tenantId,
  });
}

function account(organizationId: string, memberId: string, displayName: string, emailAddress: string) {
  return ({ builtAt }: Moments): AccountRecord => ({
    organizationId,
    memberId,
    userId: `user_${memberId.slice(-6)}`,
    displayName,
    emailAddress,
    memberStatus: 'JOINED',
    memberType: 'ADMIN',
    createdAt: builtAt - 90 * dayMs,
    updatedAt: builtAt - 20 * dayMs,
    invitedAt: builtAt - 91 * dayMs,
    joinedAt: builtAt - 90 * dayMs,
  });
}

/** The sample organization first, the second organization second. */
export const tenants = {
  sample: {
    organization: organization('org_harbor_markets', 'Harbor Markets', 1, 120),
    account: account('org_harbor_markets', 'mem_7c31f0', 'Dana Whitfield', 'dana@harbor-markets.example'),
    idPrefix: '',
    workflows: sampleWorkflows,
  },
  second: {
    organization: organization(`org_${foreignMarker}`, `Blackwood Capital (${foreignMarker})`, 2, 200),
    account: account(
      `org_${foreignMarker}`,
      `mem_${foreignMarker}_1`,
      foreignMarker,
      `${foreignMarker}@blackwood.example`,
    ),
    idPrefix: foreignIdPrefix,
    workflows: foreignWorkflows,
  },
  gated: {
    organization: organization('org_meridian_labs', 'Meridian Labs', 3, 60),
    account: null,
    idPrefix: '',
    workflows: gatedWorkflows,
  },
} as const satisfies Record<string, Tenant>;
