/** The first line of a digest without a failure: good news, as far as what is known makes it so. */
import type { RichTextElement } from '@slack/types';
import { bold, emoji, rich, trusted } from '../blocks/rich-text.ts';
import { count, counted } from '../format/number.ts';
import { type DigestFacts, verdictOf } from './facts.ts';

export function clearText(facts: DigestFacts): readonly RichTextElement[] {
  switch (verdictOf(facts)) {
    case 'failed':
      return [];
    case 'doubtful':
      return rich`${emoji('warning')} ${bold('Digest')}: no failure was found, but ${trusted(doubts(facts))}.`;
    case 'silent':
      return rich`${emoji('warning')} ${bold('Digest')}: nothing failed, but ${trusted(counted(facts.silent.length, 'workflow'))} went silent. ${runWords(facts)}.`;
    case 'nothing_ran':
      return rich`${emoji('white_circle')} ${bold('Digest')}: nothing failed, and no run finished${trusted(resolvedWords(facts))}.`;
    case 'clear':
      return rich`${emoji('white_check_mark')} ${bold('All clear')}: ${runWords(facts)}.`;
  }
}

function runWords(facts: DigestFacts): readonly RichTextElement[] {
  const { successCount: runs } = facts;
  if (runs === null) return rich`no failures; the number of runs is not known${trusted(resolvedWords(facts))}`;
  const all = runs === 1 ? 'the one finished run' : `all ${count(runs)} finished runs`;
  return rich`${trusted(runs === 0 ? 'no run finished' : `${all} succeeded`)}${trusted(resolvedWords(facts))}`;
}

function resolvedWords({ gone }: DigestFacts): string {
  const resolved = gone?.resolved.length ?? 0;
  return resolved === 0 ? '' : `, ${counted(resolved, 'cause')} of before resolved`;
}

/** All of it: what stays from day to day hides nothing that is of this one. */
function doubts(facts: DigestFacts): string {
  const { failuresNotRead, unreadable, workflowCount, about } = facts;
  const reasons = [
    ...(failuresNotRead > 0 ? [`the service counts ${counted(failuresNotRead, 'failure')}`] : []),
    ...(unreadable > 0 ? [`${counted(unreadable, 'failure')} could not be read`] : []),
    ...(about.kind === 'text' && workflowCount === 0 ? ['no workflow has such a name any more'] : []),
    ...notListed(facts).map((words) => `the ${words}`),
  ];
  return reasons.length === 0 ? 'the service counts otherwise' : reasons.join(', and ');
}

/** Of the chosen workflows, as a sentence goes on after its article; nothing where all are there. */
export function notListed({ goneWorkflows: gone }: Pick<DigestFacts, 'goneWorkflows'>): readonly string[] {
  return gone === 0 ? [] : [`service no longer lists ${gone === 1 ? 'one' : count(gone)} of the chosen workflows`];
}
