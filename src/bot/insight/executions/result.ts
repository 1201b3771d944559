/** The result of an execution: a success with errors is neither a plain success nor a failure. */

type Ended = {
  readonly status: string;
  /** Null if the service does not say. */
  readonly detailedStatus: string | null;
};

/** True if the platform reports it as succeeded, with errors in some of its calls. */
export function isCompletedWithErrors({ status, detailedStatus }: Ended): boolean {
  return status === 'SUCCESS' && detailedStatus === 'COMPLETED_WITH_ERRORS';
}

/** True once the platform reports the end. */
export function hasEnded({ status }: Pick<Ended, 'status'>): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

/** No service counts successes with errors, so the newest successes of a window are looked at one by one. */
export type SuccessesWithErrors = {
  readonly withErrors: number;
  /** Number of successes that say whether they had errors. */
  readonly lookedAt: number;
  /** True if these are all successes of the window. */
  readonly isWhole: boolean;
};

/**
 * @param executions of any status
 * @param isRead whether all successes of the window are among them
 * @returns null if the service does not say of any success whether it had errors
 */
export function countWithErrors(executions: readonly Ended[], isRead: boolean): SuccessesWithErrors | null {
  const successes = executions.filter(({ status }) => status === 'SUCCESS');
  const telling = successes.filter(({ detailedStatus }) => detailedStatus !== null);
  if (telling.length === 0 && successes.length > 0) return null;
  return {
    withErrors: telling.filter(isCompletedWithErrors).length,
    lookedAt: telling.length,
    isWhole: isRead && telling.length === successes.length,
  };
}
