/** The status card's last failures, those of one cause in one line. */
import type { RichTextBlock, RichTextElement } from '@slack/types';
import { type CauseGroup, groupByCause } from '../../../insight/causes/cause.ts';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { bold, bulleted, date, errorEnds, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { count, counted } from '../../../views/format/number.ts';
import { faultLabel } from '../../../views/format/status-labels.ts';

const errorUnitsMax = 220;

/** @param failures newest first, at least one @param counts of the window; null where the service could not say */
export function failuresBlock(
  failures: readonly ExecutionFieldsFragment[],
  counts: { readonly failure: number } | null,
): RichTextBlock {
  const total = counts?.failure ?? failures.length;
  const which = total > failures.length ? rich` (${failures.length} of ${trusted(count(total))})` : [];
  const newestFirst = [...groupByCause(failures)].sort((one, other) => other.last - one.last);
  return bulleted(rich`${bold('Last failures')}${which}`, newestFirst.map(causeLine));
}

function causeLine({ count: alike, sample }: CauseGroup<ExecutionFieldsFragment>): readonly RichTextElement[] {
  const [first, ...others] = sample.errors ?? [];
  const fault = faultLabel(sample.classifiedStatus);
  const many = alike > 1 ? rich`${alike} alike, newest: ` : [];
  const whose = fault === undefined ? [] : rich` (${trusted(fault)})`;
  const text = first === undefined ? trusted('no error text') : errorEnds(first.error, errorUnitsMax);
  const more = others.length > 0 ? rich` (and ${trusted(counted(others.length, 'other error'))})` : [];
  return rich`${many}${date(Date.parse(sample.startedAt))}${whose}: ${text}${more}`;
}
