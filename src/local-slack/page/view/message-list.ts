/** A list of messages that follows the newest one while the person is at the end. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
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

/** Number of messages shown at first, because a long channel would be slow. A button shows more. */
const shownAtFirst = 150;
/** Distance in pixels within which the list counts as scrolled to the end. */
const near = 60;
/** Space in pixels above a message that is scrolled to the top. */
const air = 14;

export function MessageList(props: ListProps): VNode {
  const { label, rows, viewer, actions, sentCount, targetTs, isOpening, intro, afterFirst } = props;
  const { list, content, follow, show } = useNewestInView();
  useLayoutEffect(follow, [sentCount]);
  const target = rows.findIndex(({ message }) => message.ts === targetTs);
  useLayoutEffect(() => {
    if (target !== -1) show('.is-target');
  }, [targetTs, target !== -1]);
  const [limit, setLimit] = useState(shownAtFirst);
  const hidden = Math.max(0, Math.min(rows.length - limit, target === -1 ? rows.length : target));
  return html`<div ref=${list} class="message-list" tabindex="0" role="log" aria-busy=${isOpening} aria-live="polite" aria-label=${label}>
    <div ref=${content} class="message-list-content">
      ${hidden === 0 ? intro : drawEarlier(hidden, () => setLimit(limit + shownAtFirst))}
      ${rows.slice(hidden).map(
        (row, at) => html`<div key=${row.message.ts}>
        ${row.day && html`<div class="day" role="separator"><span>${row.day}</span></div>`}
        <${MessageView} row=${row} isTarget=${row.message.ts === targetTs} viewer=${viewer} actions=${actions} />
        ${at + hidden === 0 && afterFirst}
      </div>`,
      )}
    </div>
  </div>`;
}

function drawEarlier(count: number, show: () => void): VNode {
  return html`<button type="button" class="button earlier" onClick=${show}>Show earlier messages (${count})</button>`;
}

/**
 * Keeps the newest message in view while the list grows, for a person who was at it. Shows its end, or its beginning if
 * it is higher than the window.
 */
function useNewestInView() {
  const list = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const toNewest = () => {
    if (list.current && content.current && isFollowing.current) {
      list.current.scrollTop = newestTop(list.current, content.current);
    }
  };
  useEffect(() => {
    const [box, inner] = [list.current, content.current];
    if (!box || !inner) return undefined;
    const look = () => {
      const isNearEnd = box.scrollHeight - box.scrollTop - box.clientHeight < near;
      isFollowing.current = isNearEnd || Math.abs(box.scrollTop - newestTop(box, inner)) < near;
    };
    const observer = new ResizeObserver(toNewest);
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener('scroll', look);
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, []);
  useLayoutEffect(toNewest);
  const follow = () => {
    isFollowing.current = true;
    toNewest();
  };
  const show = (selector: string) => {
    isFollowing.current = false;
    content.current?.querySelector(selector)?.scrollIntoView({ block: 'center' });
  };
  return { list, content, follow, show };
}

/** @returns the scroll position that shows the newest message */
function newestTop(box: HTMLElement, inner: HTMLElement): number {
  const end = box.scrollHeight - box.clientHeight;
  const newest = inner.lastElementChild;
  if (!newest) return end;
  const start = newest.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  return Math.max(0, Math.min(end, start - air));
}
