/** The message field: Enter sends, Shift+Enter breaks the line, `/` and `@` suggest commands, ↑ recalls sent messages. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Callable, type Completion, complete, type Suggestion } from '../model/completion.ts';
import { icon } from './icons.ts';

type ComposerProps = {
  /** Key of the draft. */
  readonly id: string;
  readonly placeholder: string;
  readonly bot: Callable;
  readonly drafts: Map<string, string>;
  readonly sent: readonly string[];
  readonly send: (text: string) => void;
};

export function Composer(props: ComposerProps): VNode {
  const { id, placeholder, bot, drafts } = props;
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(drafts.get(id) ?? '');
  const write = (next: string) => {
    drafts.set(id, next);
    setText(next);
  };
  const suggesting = useSuggesting(text, bot);
  const recall = useRecall(text, props.sent, write);
  useFittingHeight(input, text);
  useFocus(input);
  const submit = () => {
    if (text.trim() === '') return;
    recall.reset();
    write('');
    props.send(text.trim());
  };
  const take = (suggestion: Suggestion) => {
    write(suggestion.text);
    suggesting.reset();
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const isDone = suggesting.handles(event, take) || recall.handles(event) || sends(event, submit);
    if (isDone) event.preventDefault();
  };
  const change = (event: Event) => {
    suggesting.reset();
    write((event.currentTarget as HTMLTextAreaElement).value);
  };
  const startCall = (text: string) => take({ text, title: text, usage: '', summary: '' });
  return html`<div class="composer-area">
    ${suggesting.isOpen && html`<${SuggestionList} id=${id} ...${suggesting} take=${take} />`}
    <form class="composer" onSubmit=${(event: Event) => event.preventDefault()}>
      <textarea ref=${input} class="composer-input" rows="1" value=${text} placeholder=${placeholder} ...${ariaOf(id, placeholder, suggesting)} onInput=${change} onKeyDown=${press} onBlur=${suggesting.close}></textarea>
      <${ComposerButtons} bot=${bot} canSend=${text.trim() !== ''} startCall=${startCall} submit=${submit} />
    </form>
  </div>`;
}

type ButtonsProps = {
  readonly bot: Callable;
  readonly canSend: boolean;
  readonly startCall: (text: string) => void;
  readonly submit: () => void;
};

function ComposerButtons({ bot, canSend, startCall, submit }: ButtonsProps): VNode {
  const { slashCommand, mention } = bot;
  return html`<div class="composer-buttons">
    <span class="composer-calls">
      ${slashCommand !== null && drawCall('slash', 'Run a command', () => startCall('/'))}
      ${mention !== null && drawCall('at', `Mention ${mention.slice(1)}`, () => startCall(`${mention} `))}
    </span>
    <button type="button" class="send" aria-label="Send" title="Send" disabled=${!canSend} onClick=${submit}>${icon('send')}</button>
  </div>`;
}

function drawCall(sign: 'slash' | 'at', label: string, start: () => void): VNode {
  return html`<button type="button" class="tool" aria-label=${label} title=${label} onClick=${start}>${icon(sign)}</button>`;
}

type Suggesting = Completion & {
  readonly isOpen: boolean;
  /** Index of the highlighted suggestion; -1 for none. */
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly reset: () => void;
  readonly close: () => void;
  /** @returns true if the list handled the key */
  readonly handles: (event: KeyboardEvent, take: (suggestion: Suggestion) => void) => boolean;
};

function useSuggesting(text: string, bot: Callable): Suggesting {
  const [chosen, setChosen] = useState<number | null>(null);
  const [isClosed, setClosed] = useState(false);
  const { suggestions, isEager } = complete(text, bot);
  const isOpen = !isClosed && suggestions.length > 0;
  const active = Math.min(chosen ?? (isEager ? 0 : -1), suggestions.length - 1);
  const handles: Suggesting['handles'] = (event, take) => {
    if (!isOpen || event.shiftKey) return false;
    const moves = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (moves !== 0) setChosen((active + moves + suggestions.length) % suggestions.length);
    else if (event.key === 'Escape') setClosed(true);
    else return takes(event.key, suggestions[event.key === 'Tab' ? Math.max(0, active) : active], take);
    return true;
  };
  const reset = () => {
    setChosen(null);
    setClosed(false);
  };
  return { suggestions, isEager, isOpen, active, setActive: setChosen, reset, close: () => setClosed(true), handles };
}

function takes(key: string, suggestion: Suggestion | undefined, take: (suggestion: Suggestion) => void): boolean {
  if (!suggestion || (key !== 'Tab' && key !== 'Enter')) return false;
  take(suggestion);
  return true;
}

function sends(event: KeyboardEvent, submit: () => void): boolean {
  if (event.key !== 'Enter' || event.shiftKey) return false;
  submit();
  return true;
}

function ariaOf(id: string, label: string, { isOpen, active }: Suggesting) {
  return {
    'aria-label': label,
    'aria-autocomplete': 'list',
    'aria-controls': isOpen ? suggestionId(id) : undefined,
    'aria-activedescendant': isOpen && active >= 0 ? suggestionId(id, active) : undefined,
    spellcheck: false,
    autocomplete: 'off',
  };
}

/** The field grows with its text, to a third of the window. */
function useFittingHeight(input: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    if (!input.current) return;
    input.current.style.height = 'auto';
    input.current.style.height = `${Math.min(input.current.scrollHeight, innerHeight / 3)}px`;
  }, [text]);
}

/** Focuses the field, but not on phones, where a keyboard would open. */
function useFocus(input: { readonly current: HTMLTextAreaElement | null }): void {
  useEffect(() => {
    if (matchMedia('(min-width: 701px)').matches) input.current?.focus({ preventScroll: true });
  }, []);
}

type ListProps = {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly take: (suggestion: Suggestion) => void;
};

function SuggestionList({ id, suggestions, active, setActive, take }: ListProps): VNode {
  return html`<div class="suggestions">
    <div id=${suggestionId(id)} role="listbox" aria-label="Commands">
      ${suggestions.map(
        (suggestion, at) => html`<div
        key=${suggestion.text}
        id=${suggestionId(id, at)}
        role="option"
        aria-selected=${at === active}
        class=${`suggestion${at === active ? ' is-active' : ''}`}
        onMouseMove=${() => setActive(at)}
        onMouseDown=${(event: Event) => event.preventDefault()}
        onClick=${() => take(suggestion)}
      >
        <span class="suggestion-sign">${icon(suggestion.title.startsWith('@') ? 'at' : 'slash')}</span>
        <span class="suggestion-words">
          <span class="suggestion-title">${suggestion.title} <span class="suggestion-usage">${suggestion.usage}</span></span>
          <span class="suggestion-summary">${suggestion.summary}</span>
        </span>
      </div>`,
      )}
    </div>
    <div class="suggestions-help" aria-hidden="true">
      <kbd>↑</kbd><kbd>↓</kbd> to choose <kbd>Tab</kbd> to complete <kbd>Esc</kbd> to close
    </div>
  </div>`;
}

/** @returns the list's id, or one option's */
function suggestionId(id: string, index?: number): string {
  return `suggestions-${id}${index === undefined ? '' : `-${index}`}`;
}

type Recall = {
  /** @returns true if it handled the key */
  readonly handles: (event: KeyboardEvent) => boolean;
  readonly reset: () => void;
};

/** @param sent oldest first */
function useRecall(text: string, sent: readonly string[], write: (text: string) => void): Recall {
  const [back, setBack] = useState(0);
  const recalled = back === 0 ? '' : (sent[sent.length - back] ?? '');
  const handles = ({ key, shiftKey }: KeyboardEvent) => {
    if (shiftKey || (key !== 'ArrowUp' && key !== 'ArrowDown') || text !== recalled) return false;
    const next = Math.min(sent.length, Math.max(0, back + (key === 'ArrowUp' ? 1 : -1)));
    if (next === back) return false;
    setBack(next);
    write(next === 0 ? '' : (sent[sent.length - next] ?? ''));
    return true;
  };
  return { handles, reset: () => setBack(0) };
}
