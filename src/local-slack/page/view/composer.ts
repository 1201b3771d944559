/** The message field: Enter sends, Shift+Enter breaks the line, and commands are completed. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Callable, complete, type Suggestion } from '../model/completion.ts';

type ComposerProps = {
  readonly placeholder: string;
  readonly bot: Callable;
  readonly send: (text: string) => void;
};

export function Composer({ placeholder, bot, send }: ComposerProps): VNode {
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<number | null>(0);
  // Not on phones, where a keyboard would open.
  useEffect(() => {
    if (matchMedia('(min-width: 701px)').matches) input.current?.focus({ preventScroll: true });
  }, []);
  const write = (next: string) => {
    setText(next);
    setChosen(0);
  };
  const submit = () => {
    const typed = input.current?.value.trim() ?? '';
    if (typed === '') return;
    write('');
    send(typed);
  };
  const offered = (typed: string) => (chosen === null ? [] : complete(typed, bot));
  const suggestions = offered(text);
  const active = Math.min(chosen ?? 0, suggestions.length - 1);
  const take = ({ text: whole }: Suggestion) => {
    write(whole);
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.isComposing || event.shiftKey) return;
    // A person may type faster than the page draws.
    const typed = (event.currentTarget as HTMLTextAreaElement).value;
    const options = offered(typed);
    const at = Math.min(chosen ?? 0, options.length - 1);
    const suggestion = options[at];
    const moves = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (suggestion && moves) setChosen((at + moves + options.length) % options.length);
    else if (suggestion && event.key === 'Escape') setChosen(null);
    else if (suggestion && (event.key === 'Tab' || (event.key === 'Enter' && !isWhole(typed, bot)))) take(suggestion);
    else if (event.key === 'Enter') submit();
    else return;
    event.preventDefault();
  };
  return html`<div class="composer-area">
    ${suggestions.length > 0 && html`<${SuggestionList} suggestions=${suggestions} active=${active} take=${take} />`}
    <form class="composer" onSubmit=${(event: Event) => event.preventDefault()}>
      <textarea
        ref=${input}
        class="composer-input"
        rows="1"
        value=${text}
        placeholder=${placeholder}
        aria-label=${placeholder}
        aria-activedescendant=${suggestions.length > 0 ? `suggestion-${active}` : undefined}
        autocomplete="off"
        onInput=${(event: Event) => write((event.currentTarget as HTMLTextAreaElement).value)}
        onKeyDown=${press}
        onBlur=${() => setChosen(null)}
      ></textarea>
      <button type="button" class="send tile" aria-label="Send" disabled=${text.trim() === ''} onClick=${submit}>➤</button>
    </form>
  </div>`;
}

/** Returns true if Enter should send: the text is a command, or ordinary words. */
function isWhole(text: string, { calls, commands }: Callable): boolean {
  const call = calls.find((each) => each !== '' && text.startsWith(`${each} `));
  if (call === undefined) return calls.includes('') || calls.includes(text);
  const [name = ''] = text.slice(call.length + 1).split(' ');
  return name === '' || commands.some((command) => command.name === name);
}

type ListProps = {
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly take: (suggestion: Suggestion) => void;
};

function SuggestionList({ suggestions, active, take }: ListProps): VNode {
  return html`<div class="suggestions framed" role="listbox" aria-label="Commands">
    ${suggestions.map(
      (suggestion, at) => html`<div
        key=${suggestion.text}
        id=${`suggestion-${at}`}
        role="option"
        aria-selected=${at === active}
        class=${`suggestion row${at === active ? ' is-active' : ''}`}
        onMouseDown=${(event: Event) => event.preventDefault()}
        onClick=${() => take(suggestion)}
      >
        <b>${suggestion.text}</b> <span class="soft ellipsis">${suggestion.summary}</span>
      </div>`,
    )}
  </div>`;
}
