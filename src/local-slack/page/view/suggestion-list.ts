/** The list above the composer while words for the bot are typed. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { Suggestion } from '../model/completion.ts';
import { icon } from './icons.ts';

type ListProps = {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly take: (suggestion: Suggestion) => void;
};

export function SuggestionList({ id, suggestions, active, setActive, take }: ListProps): VNode {
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
export function suggestionId(id: string, index?: number): string {
  return `suggestions-${id}${index === undefined ? '' : `-${index}`}`;
}
