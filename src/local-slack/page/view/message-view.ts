/** One message: author, time, content, replies and tools. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { BlockView } from '../blocks/block.ts';
import type { Scope } from '../blocks/scope.ts';
import { post } from '../client.ts';
import { Popup } from '../elements/popup.ts';
import { type Page, usePage } from '../hooks/use-page.ts';
import { type Row, sentAt } from '../model/messages.ts';
import { pressKey, pressPrefix } from '../model/model.ts';
import { displayName, type Viewer } from '../model/viewer.ts';
import type { PageMessage, PageResult, PageSharedFile, PageUnfurl } from '../protocol.ts';
import { fullTime, timeOfDay } from '../text/date-format.ts';
import { drawMrkdwn } from '../text/mrkdwn.ts';
import { Avatar } from './avatar.ts';

type RowProps = { readonly row: Row; readonly isThread: boolean };

/** A message that the page's address names is highlighted. */
export function MessageView({ row, isThread }: RowProps): VNode {
  const { model, viewer, dispatch } = usePage();
  const { message, replies } = row;
  const name = displayName(viewer, message.user);
  const openThread = () => dispatch({ type: 'open thread', ts: message.ts });
  const className = message.ts === model.targetTs ? 'message is-target' : 'message';
  return html`<article class=${className} aria-label=${`${name}, ${timeOfDay(sentAt(message), viewer)}`} data-ts=${message.ts}>
    ${message.isEphemeral && html`<div class="only-you soft small row"><span aria-hidden="true">👁</span> Only visible to you</div>`}
    <${Avatar} userId=${message.user} size="large" />
    <div class="message-main">
      ${drawHeading(message, name, viewer)}
      <${MessageBody} message=${message} />
      ${!isThread && !message.isEphemeral && replies.length > 0 && drawReplies(replies, openThread)}
    </div>
    ${!message.isEphemeral && html`<${MessageTools} message=${message} openThread=${isThread ? null : openThread} />`}
  </article>`;
}

function drawHeading(message: PageMessage, name: string, viewer: Viewer): VNode {
  const isBot = viewer.users.get(message.user)?.isBot === true;
  const at = sentAt(message);
  return html`<div class="message-heading wrap">
    <b>${name}</b>
    ${isBot && html`<span class="soft small">APP</span>`}
    <time class="small soft" title=${fullTime(at, viewer)}>${timeOfDay(at, viewer)}</time>
  </div>`;
}

type MessageProps = { readonly message: PageMessage };

/** Drawn again only after a change, because a long channel would be slow. */
function MessageBody({ message }: MessageProps): VNode {
  const page = usePage();
  const waiting = [...page.model.pending].filter((key) => key.startsWith(pressPrefix(message))).join();
  return useMemo(() => drawBody(message, page), [message, page.viewer, waiting]);
}

function drawBody(message: PageMessage, { model, viewer, press, report }: Page): VNode {
  const { channel, ts } = message;
  const place = { user: viewer.userId, channel, ts };
  const scope: Scope = {
    viewer,
    press: (pressed) => report(press({ channel, ts }, pressed)),
    suggest: (query) => post('suggest', { ...place, ...query }),
    isPending: (blockId, actionId) => model.pending.has(pressKey({ channel, ts, blockId, actionId })),
    isEdited: message.isEdited,
    form: null,
  };
  const openDetails = (url: string) => void report(post('details', { ...place, url }));
  const content: ComponentChildren =
    message.blocks.length === 0
      ? message.text !== '' && drawMrkdwn(message.text, viewer)
      : drawBlocks(message.blocks, scope);
  return html`<div class="message-body">
    ${content}
    ${message.files.map((file) => (file.kind === 'image' ? drawPicture(file) : drawSnippet(file)))}
    ${(message.unfurls ?? []).map((unfurl) => drawUnfurl(unfurl, scope, openDetails))}
    ${message.isEdited && html`<span class="soft small">(edited)</span>`}
  </div>`;
}

function drawBlocks(blocks: PageMessage['blocks'], scope: Scope): readonly VNode[] {
  return blocks.map((block, at) => html`<${BlockView} key=${`${at} ${block.type}`} block=${block} scope=${scope} />`);
}

/** Previews stay inert in the local Slack, except for the button that opens the details. */
function drawUnfurl({ url, blocks, entityUrl }: PageUnfurl, scope: Scope, open: (url: string) => void): VNode {
  return html`<div class="quote" key=${url}>
    ${drawBlocks(blocks, scope)}
    ${entityUrl !== null && html`<button type="button" class="button" onClick=${() => open(url)}>Open details</button>`}
  </div>`;
}

function drawReplies(replies: Row['replies'], openThread: () => void): VNode {
  const authors = [...new Set(replies.map(({ user }) => user))].slice(0, 3);
  return html`<button type="button" class="replies row" onClick=${openThread}>
    ${authors.map((userId) => html`<${Avatar} userId=${userId} size="small" />`)}
    <b class="link">${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}</b>
  </button>`;
}

type ToolsProps = MessageProps & {
  /** Null inside a thread. */
  readonly openThread: (() => void) | null;
};

function MessageTools({ message, openThread }: ToolsProps): VNode {
  const { state, viewer, report, whileWaiting } = usePage();
  const place = { user: viewer.userId, channel: message.channel, ts: message.ts };
  const mayDelete = message.user === viewer.userId || viewer.users.get(viewer.userId)?.isAdmin === true;
  const act = (name: string, run: () => void) =>
    html`<button type="button" class="popup-item" onClick=${run}>${name}</button>`;
  const draw = (close: () => void) => {
    const tell = (answer: Promise<PageResult>) => {
      close();
      return report(answer);
    };
    return [
      ...state.app.shortcuts.map(({ name, callbackId }) =>
        act(name, () => void whileWaiting(tell(post('shortcut', { ...place, callbackId })))),
      ),
      mayDelete && act('Delete message', () => void tell(post('delete', place))),
    ];
  };
  const reply = html`<button type="button" class="tool tile" aria-label="Reply in thread" title="Reply in thread" onClick=${openThread}>
    💬
  </button>`;
  return html`<div class="message-tools row framed">
    ${openThread && reply}
    <${Popup} name="More actions" className="tool tile" attributes=${{ 'aria-label': 'More actions' }} draw=${draw}>⋯<//>
  </div>`;
}

/** Opens in its full size. If its file was evicted, the browser shows the alternative text. */
function drawPicture(file: PageSharedFile): VNode {
  const { title, altText, url } = file;
  return html`<figure>
    <figcaption class="soft small">${title} ${drawDownload(file)}</figcaption>
    <a href=${url} target="_blank" rel="noopener noreferrer" aria-label=${`Open ${title} in full size`}>
      <img class="shared-image framed" src=${url} alt=${altText || title} />
    </a>
  </figure>`;
}

/** The first lines of a text scroll; the rest is in the download. */
function drawSnippet(file: PageSharedFile): VNode {
  const { title, name, kind, head } = file;
  return html`<div class="snippet framed" role="group" aria-label=${`File ${name}`}>
    <b>${title}</b>
    ${kind === 'text' && html`<pre class="snippet-text" tabindex="0" aria-label=${`First lines of ${name}`}>${head}</pre>`}
    <div>${drawDownload(file)}</div>
  </div>`;
}

function drawDownload({ downloadUrl, name }: PageSharedFile): VNode {
  return html`<a class="link" href=${downloadUrl} download=${name} aria-label=${`Download ${name}`}>Download</a>`;
}
