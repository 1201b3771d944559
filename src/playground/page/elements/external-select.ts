/** A select whose choices the app sends while one types. */
import type { ExternalSelect, PlainTextOption } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ElementProps } from '../blocks/scope.ts';
import { drawPlain } from '../blocks/text-object.ts';
import type { PageSuggestions } from '../protocol.ts';
import { useConfirmation } from './confirm.ts';
import { Menu } from './menu.ts';
import type { MenuGroup, MenuItem } from './menu-choices.ts';
import { toItem } from './select.ts';

/** Slack's own, for a select that says none. */
const queryLengthDefault = 3;
/** Between the last key and the question. */
const pauseMs = 250;

export function ExternalSelectElement({ element, blockId, scope }: ElementProps<ExternalSelect>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const [chosen, setChosen] = useState<PlainTextOption | undefined>(element.initial_option);
  const actionId = element.action_id ?? '';
  const ask = (value: string) => scope.suggest({ blockId, actionId, value });
  const suggestions = useSuggestions(ask, element.min_query_length ?? queryLengthDefault);
  const placeholder = element.placeholder ?? { type: 'plain_text', text: 'Choose an option' };
  const choose = ({ text, value }: MenuItem) =>
    guard(() => {
      setChosen({ text, value });
      scope.press({ blockId, actionId, selected: value });
    });
  const isPending = scope.isPending(blockId, actionId);
  return html`<span class="element">
    <${Menu}
      kind="select"
      name=${placeholder.text}
      className=${`button select${isPending ? ' is-pending' : ''}`}
      choose=${choose}
      viewer=${scope.viewer}
      ...${suggestions}
    >
      <span class=${`button-label${chosen ? '' : ' is-placeholder'}`}>${drawPlain(chosen?.text ?? placeholder, scope.viewer)}</span>
      <span class="chevron" aria-hidden="true"></span>
    <//>
    ${dialog}
  </span>`;
}

type Suggestions = {
  readonly groups: readonly MenuGroup[];
  readonly note: string | null;
  readonly search: (typed: string) => void;
};

/** Asks when the person pauses; only the answer to what was typed last counts. */
function useSuggestions(ask: (value: string) => Promise<PageSuggestions>, lengthMin: number): Suggestions {
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
      const answer = await ask(typed);
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
