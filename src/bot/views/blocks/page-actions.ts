/** The way from a page to those around it; pages are only ever turned by buttons. */
import type { Button } from '@slack/types';
import { commandButton } from './command-button.ts';

type Pages = {
  /** From 1. */
  readonly page: number;
  readonly hasMore: boolean;
  /** Beyond the end of the list there is nothing to go back to but the first page. */
  readonly isEmpty: boolean;
  /** The command line for a page, with every filter kept. */
  readonly lineFor: (page: number) => string;
};

export function pageActions({ page, hasMore, isEmpty, lineFor }: Pages): readonly Button[] {
  const previous = isEmpty ? 1 : page - 1;
  return [
    ...(page > 1 ? [commandButton({ label: `◀ Page ${previous}`, line: lineFor(previous), mode: 'replace' })] : []),
    ...(hasMore ? [commandButton({ label: `Page ${page + 1} ▶`, line: lineFor(page + 1), mode: 'replace' })] : []),
  ];
}
