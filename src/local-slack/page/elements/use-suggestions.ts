/** The choices of a menu that the app fills while one types. */
import type { ExternalSelect, MultiExternalSelect } from '@slack/types';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ElementProps } from '../blocks/scope.ts';
import type { PageSuggestions } from '../protocol.ts';
import { toItem } from './choices.ts';
import type { MenuProps } from './menu-choices.ts';

/** Slack's own, for a select that says none. */
const queryLengthDefault = 3;
/** Between the last key and the question. */
const pauseMs = 250;

export type Suggestions = Required<Pick<MenuProps, 'groups' | 'note' | 'search'>>;

/** Asks when the person pauses; only the answer to what was typed last counts. */
export function useSuggestions(props: ElementProps<ExternalSelect | MultiExternalSelect>): Suggestions {
  const { element, blockId, scope } = props;
  const lengthMin = element.min_query_length ?? queryLengthDefault;
  const [{ groups, note }, setState] = useState<Pick<Suggestions, 'groups' | 'note'>>({ groups: [], note: null });
  const turn = useRef(0);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  const search = (typed: string) => {
    clearTimeout(pause.current);
    turn.current += 1;
    const mine = turn.current;
    if (typed.length < lengthMin) {
      setState({ groups: [], note: typeMore(lengthMin) });
      return;
    }
    setState({ groups: [], note: 'Loading…' });
    const run = async () => {
      const answer = await scope.suggest({ blockId, actionId: element.action_id ?? '', value: typed });
      if (turn.current === mine) setState(answer.ok ? shown(answer) : { groups: [], note: answer.error });
    };
    pause.current = setTimeout(() => void run(), typed === '' ? 0 : pauseMs);
  };
  return { groups, note, search };
}

function shown({ groups }: PageSuggestions & { ok: true }): Pick<Suggestions, 'groups' | 'note'> {
  const drawn = groups.map(({ label, options }) => ({ label: label?.text ?? '', items: options.map(toItem) }));
  return { groups: drawn, note: null };
}

function typeMore(lengthMin: number): string {
  return `Type ${lengthMin} ${lengthMin === 1 ? 'character' : 'characters'} or more to search`;
}
