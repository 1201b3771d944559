/** The records of an organization and its history. Times are epoch milliseconds. */

export type OrganizationRecord = {
  readonly organizationId: string;
  readonly displayName: string;
  readonly restrictionStatus: 'GATED' | 'FULL_ACCESS';
  readonly activeStatus: 'ACTIVE' | 'DELETED';
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly tenantId: number;
};

export type AccountRecord = {
  readonly organizationId: string;
  readonly memberId: string;
  readonly userId: string | null;
  readonly displayName: string;
  readonly emailAddress: string;
  readonly memberStatus: 'INVITED' | 'JOINED' | 'REMOVED';
  readonly memberType: 'ROOT' | 'ADMIN' | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly invitedAt: number | null;
  readonly joinedAt: number | null;
};

export type DeploymentStatus = 'PENDING' | 'FAILED' | 'ACTIVE' | 'PAUSED' | 'DELETED';

export type WorkflowRecord = {
  readonly organizationId: string;
  readonly uuid: string;
  readonly name: string;
  /** 64 hexadecimal characters. */
  readonly workflowId: string;
  readonly status: DeploymentStatus;
  /** 40 hexadecimal characters. */
  readonly ownerAddress: string;
  readonly registeredAt: number;
  readonly workflowSource: string;
};

export type DeploymentRecord = {
  readonly organizationId: string;
  readonly uuid: string;
  readonly workflowUuid: string;
  readonly workflowId: string;
  readonly status: DeploymentStatus;
  readonly deployedAt: number;
  readonly txHash: string | null;
  readonly errorMessage: string | null;
  readonly binaryUrl: string | null;
  readonly configUrl: string | null;
  readonly workflowSource: string;
  readonly hasTeeExecutions: boolean;
  readonly hasNonTeeExecutions: boolean;
};

export type ExecutionStatus = 'UNKNOWN' | 'UNSPECIFIED' | 'TRIGGERED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';

export type ErrorRecord = { readonly error: string; readonly count: number };

export type LogRecord = { readonly nodeId: string; readonly message: string; readonly timestamp: number };

export type EventRecord = {
  readonly capabilityId: string;
  /** Free text, as the platform wrote it. */
  readonly status: string;
  readonly method: string | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly errors: readonly ErrorRecord[] | null;
};

export type ExecutionRecord = {
  readonly organizationId: string;
  readonly uuid: string;
  /** 64 hexadecimal characters. */
  readonly id: string;
  readonly workflowUuid: string;
  readonly status: ExecutionStatus;
  readonly classifiedStatus: 'UNSPECIFIED' | 'SUCCESS' | 'USER_ERROR' | 'SYSTEM_ERROR' | null;
  readonly detailedStatus: 'UNSPECIFIED' | 'COMPLETED' | 'COMPLETED_WITH_ERRORS' | 'FAILED' | 'FAILED_NO_DETAIL' | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** Credits in millionths, so that sums are exact. */
  readonly creditMicros: number | null;
  readonly executedInTee: boolean | null;
  readonly errors: readonly ErrorRecord[] | null;
  /** Null if the platform kept none. */
  readonly logs: readonly LogRecord[] | null;
  readonly events: readonly EventRecord[] | null;
};

/** Any record with its type: one line of an export. */
export type TypedRecord =
  | { readonly type: 'organization'; readonly record: OrganizationRecord }
  | { readonly type: 'account'; readonly record: AccountRecord }
  | { readonly type: 'workflow'; readonly record: WorkflowRecord }
  | { readonly type: 'deployment'; readonly record: DeploymentRecord }
  | { readonly type: 'execution'; readonly record: ExecutionRecord };
