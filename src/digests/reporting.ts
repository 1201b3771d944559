/** How slots ended, for whoever counts them and for whoever reads the log. */
import type { Logger } from '../core/log.ts';
import { type Measure, measureNothing } from '../core/measure.ts';
import type { ClaimedSlot } from '../store/ledger.ts';
import { type FinishedEnd, slotFields } from './work.ts';

type ReportingDeps = { readonly log: Logger; readonly measure?: Measure };

/** @returns called with each end; `rootTs` is null where nothing was posted */
export function reporter({ log, measure = measureNothing }: ReportingDeps) {
  return (claimed: ClaimedSlot, { state, error }: FinishedEnd, rootTs: string | null): void => {
    const latenessMs = rootTs === null ? null : Math.max(0, Math.round(Number(rootTs) * 1000 - claimed.dueAt));
    measure({ kind: 'digest', outcome: state, latenessMs });
    const { attempts } = claimed;
    log.info(
      { ...slotFields(claimed), state, latenessMs, attempts, ...(error !== undefined && { error }) },
      'digest done',
    );
  };
}
