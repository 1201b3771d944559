/** One thread beside its channel; over it where there is little room. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { callable } from '../model/completion.ts';
import { threadRows } from '../model/threads.ts';
import { channelTitle } from '../model/viewer.ts';
import type { PageChannel } from '../protocol.ts';
import { Composer } from './composer.ts';
import { icon } from './icons.ts';
import { MessageList } from './message-list.ts';
import { replyCount } from './message-view.ts';
import { hasBot, type Place } from './place.ts';

type ThreadProps = Place & { readonly channel: PageChannel; readonly threadTs: string; readonly close: () => void };

export function ThreadPane(props: ThreadProps): VNode {
  const { channel, threadTs, viewer, messages, hands, sent, drafts, close } = props;
  const rows = threadRows(messages, threadTs, viewer);
  const replies = rows.length - 1;
  const { openThread: _, ...inside } = hands;
  const title = `${channel.kind === 'dm' ? '' : '#'}${channelTitle(channel, viewer)}`;
  const count = replies > 0 && html`<div class="thread-count"><span>${replyCount(replies)}</span></div>`;
  const closeOnEscape = ({ key, defaultPrevented }: KeyboardEvent) => key === 'Escape' && !defaultPrevented && close();
  const composer = html`<${Composer}
    key=${threadTs}
    id=${`thread-${threadTs}`}
    placeholder="Reply…"
    bot=${callable(props.state, { isDirect: channel.kind === 'dm', isThread: true, hasBot: hasBot(channel, props.state) })}
    drafts=${drafts}
    sent=${sent}
    send=${(text: string) => props.send(text, threadTs)}
  />`;
  return html`<aside class="thread-pane" aria-label="Thread" onKeyDown=${closeOnEscape}>
    <header class="channel-header">
      <h2 class="channel-title">Thread <span class="thread-channel">${title}</span></h2>
      <button type="button" class="tool" aria-label="Close thread" onClick=${close}>${icon('close')}</button>
    </header>
    <${MessageList}
      key=${threadTs}
      label="Messages in the thread"
      rows=${rows}
      viewer=${viewer}
      hands=${inside}
      sentCount=${sent.length}
      isOpening=${props.stream === 'opening'}
      targetTs=${props.targetTs}
      afterFirst=${count}
    />
    ${channel.memberIds.includes(viewer.userId) && !channel.isArchived && composer}
  </aside>`;
}
