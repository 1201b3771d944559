/** The message field: Enter sends, and Shift+Enter breaks the line. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type ComposerProps = { readonly placeholder: string; readonly send: (text: string) => void };

export function Composer({ placeholder, send }: ComposerProps): VNode {
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  // Not on phones, where a keyboard would open.
  useEffect(() => {
    if (matchMedia('(min-width: 701px)').matches) input.current?.focus({ preventScroll: true });
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    // A person may type faster than the page draws.
    const typed = input.current?.value.trim() ?? '';
    if (typed === '') return;
    setText('');
    send(typed);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing && !event.shiftKey) submit(event);
  };
  return html`<div class="composer-area">
    <form class="composer" onSubmit=${submit}>
      <textarea
        ref=${input}
        class="composer-input"
        rows="1"
        value=${text}
        placeholder=${placeholder}
        aria-label=${placeholder}
        autocomplete="off"
        onInput=${(event: Event) => setText((event.currentTarget as HTMLTextAreaElement).value)}
        onKeyDown=${press}
      ></textarea>
      <button type="submit" class="send tile" aria-label="Send" disabled=${text.trim() === ''}>➤</button>
    </form>
  </div>`;
}
