/** A list of messages, which follows the newest one while the person is at the end. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../model/messages.ts';
import type { Viewer } from '../model/viewer.ts';
import { type MessageActions, MessageView } from './message-view.ts';

type ListProps = {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly viewer: Viewer;
  readonly actions: MessageActions;
  /** Increases with everything that the person sends; the list then scrolls to the newest message. */
  readonly sentCount: number;
  /** `ts` of the message to scroll to, if it is in the list. */
  readonly targetTs: string | null;
  /** True if the event stream is not open yet. */
  readonly isOpening: boolean;
  readonly intro?: ComponentChildren;
  /** Drawn after the first message: a thread's count of replies. */
  readonly afterFirst?: ComponentChildren;
};

/** The list is a reversed column, which the browser keeps scrolled to its end. */
export function MessageList(props: ListProps): VNode {
  const { label, rows, viewer, actions, sentCount, targetTs, isOpening, intro, afterFirst } = props;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.scrollTo(0, 0), [sentCount]);
  const hasTarget = rows.some(({ message }) => message.ts === targetTs);
  useLayoutEffect(
    () => list.current?.querySelector('.is-target')?.scrollIntoView({ block: 'center' }),
    [hasTarget, targetTs],
  );
  return html`<div ref=${list} class="message-list" tabindex="0" role="log" aria-busy=${isOpening} aria-live="polite" aria-label=${label}>
    <div>
      ${intro}
      ${rows.map(
        (row, at) => html`<div key=${row.message.ts} class="message-row">
        ${row.day && html`<div class="day" role="separator"><span>${row.day}</span></div>`}
        <${MessageView} row=${row} isTarget=${row.message.ts === targetTs} viewer=${viewer} actions=${actions} />
        ${at === 0 && afterFirst}
      </div>`,
      )}
    </div>
  </div>`;
}
