/** Precision and recall of causes, and titles that lose the point, on labelled errors. */
import { causeFigures, readCauseSet } from '../../test/support/insight/cause-sets.ts';
import type { TruthSection } from './section.ts';

export function measure(): Promise<TruthSection> {
  const rows = [
    { name: 'causes', told: 'tuned: the rules were written with it' },
    { name: 'causes-held-out', told: 'held out: its misses were read, and mended by class' },
    { name: 'causes-newest', told: 'newest: its misses were mended by class' },
    { name: 'causes-libraries-1', told: 'as several libraries print one fault, mended by class' },
    { name: 'causes-libraries-2', told: 'another, mended by class' },
    { name: 'causes-libraries-3', told: 'a third, read last' },
  ].map(({ name, told }) => {
    const { errors, causes, precision, recall, badTitles, titled } = causeFigures(readCauseSet(name));
    return [told, errors, causes, precision.toFixed(3), recall.toFixed(3), `${badTitles.length} of ${titled}`];
  });
  return Promise.resolve({
    title: 'Causes',
    head: ['set', 'errors', 'causes', 'precision', 'recall', 'titles that lose the point'],
    rows,
  });
}
