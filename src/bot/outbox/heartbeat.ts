/** Heartbeat of a lease: extends it while the delivery is worked on. */
import type { Logger } from '../../shared/log/logger.ts';
import type { ClaimedDelivery, OpenDelivery } from '../store/outbox/delivery.ts';
import type { OnFailpoint } from './failpoints.ts';
import { logFieldsOf } from './results.ts';
import type { DeliveryTiming } from './timing.ts';

type HeartbeatDeps = {
  readonly timing: Pick<DeliveryTiming, 'leaseMs'>;
  readonly failpoint: OnFailpoint;
  readonly log: Logger;
};

/** @returns stops it */
export function extendLease({ timing, failpoint, log }: HeartbeatDeps, claimed: ClaimedDelivery): () => void {
  const timer = setInterval(() => {
    failpoint('before extend');
    claimed.lease.extend(timing.leaseMs).then(
      () => failpoint('after extend'),
      (err: unknown) => log.warn({ ...logFieldsOf(claimed), err }, 'could not extend the lease of a delivery'),
    );
  }, timing.leaseMs / 3);
  return () => clearInterval(timer);
}

/** Keeps the lease of an open delivery during the work, and ends it in any case: for good if it is done. */
export async function withLease<Result>(
  deps: HeartbeatDeps,
  delivery: OpenDelivery,
  work: () => Promise<Result>,
  isDone: (result: Result) => boolean,
): Promise<Result> {
  const stopExtending = extendLease(deps, delivery);
  let isFinal = false;
  try {
    const result = await work();
    isFinal = isDone(result);
    return result;
  } finally {
    stopExtending();
    await (isFinal ? delivery.lease.finish('posted') : delivery.lease.defer(0));
  }
}
