/** Heartbeat of a lease: extends it while the delivery is worked on. */
import type { ClaimedDelivery, OpenDelivery } from '../store/outbox/delivery.ts';
import { type DeliveryServices, logFieldsOf } from './results.ts';

/** @returns stops it */
export function extendLease({ timing, failpoint, log }: DeliveryServices, claimed: ClaimedDelivery): () => void {
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
  services: DeliveryServices,
  delivery: OpenDelivery,
  work: () => Promise<Result>,
  isDone: (result: Result) => boolean,
): Promise<Result> {
  const stopExtending = extendLease(services, delivery);
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
