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
