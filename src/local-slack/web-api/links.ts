/** chat.unfurl and entity.presentDetails: the app's previews of pasted links, and their details for one person. */
import type { KnownBlock } from '@slack/types';
import { validateBlocks } from '../../shared/block-kit/validate.ts';
import { isRecord, type JsonRecord, readRecord, readText } from '../../shared/json.ts';
import { urlsIn } from '../interactions/escape-text.ts';
import type { PageUnfurl } from '../page/protocol.ts';
import { asSent, Refused } from '../state/content.ts';
import type { ViewContent } from '../state/view.ts';
import type { Call } from './method.ts';

/** https://docs.slack.dev/reference/methods/chat.unfurl */
export function unfurl({ fields, workspace }: Call): JsonRecord {
  const channel = workspace.channels.find(({ id }) => id === readText(fields, 'channel'));
  if (!channel) throw new Refused('cannot_find_channel');
  const message = workspace.history.find(channel.id, readText(fields, 'ts') ?? '');
  if (!message || message.isEphemeral) throw new Refused('cannot_unfurl_message');
  const unfurls = readUnfurls(fields);
  // As in Slack, an invalid Work Object is dropped, with a warning.
  if (!unfurls) return { warning: 'invalid_metadata_format' };
  const posted = urlsIn(message.text);
  if (unfurls.some(({ url }) => !posted.includes(url))) throw new Refused('cannot_unfurl_url');
  const kept = (message.unfurls ?? []).filter(({ url }) => unfurls.every((each) => each.url !== url));
  workspace.history.change(message, { unfurls: [...kept, ...unfurls] });
  return {};
}

/** @returns undefined for an invalid Work Object */
function readUnfurls(fields: JsonRecord): readonly PageUnfurl[] | undefined {
  const [metadata, unfurls] = [asSent(fields['metadata']), asSent(fields['unfurls'])];
  if (metadata !== undefined) {
    const entities = readRecord(metadata)['entities'];
    const read = Array.isArray(entities) ? entities.map(readRecord).map(readEntity) : [undefined];
    return read.every((each) => each !== undefined) ? read : undefined;
  }
  if (unfurls === undefined) throw new Refused('missing_unfurls');
  if (!isRecord(unfurls)) throw new Refused('invalid_unfurls_format');
  const read = Object.entries(unfurls).map(([url, content]) => ({ url, blocks: readRecord(content)['blocks'] }));
  if (read.some(({ blocks }) => !Array.isArray(blocks) || validateBlocks(blocks, 'message').length > 0)) {
    throw new Refused('cannot_parse_attachment');
  }
  return read.map(({ url, blocks }) => ({ url, blocks: blocks as readonly KnownBlock[], entityUrl: null }));
}

/** @returns undefined without the required parts of https://docs.slack.dev/messaging/work-objects-implementation */
function readEntity(entity: JsonRecord): PageUnfurl | undefined {
  const [url, entityUrl] = [readText(entity, 'app_unfurl_url'), readText(entity, 'url')];
  const shown = entityBlocks(entity);
  return url === undefined || entityUrl === undefined || !shown ? undefined : { url, entityUrl, blocks: shown.blocks };
}

const entityTypes = ['task', 'file', 'item', 'incident', 'content_item'].map((name) => `slack#/entities/${name}`);

type Pane = { readonly title: string; readonly blocks: readonly KnownBlock[] };

/** Draws a Work Object: its title, and its fields in the wanted order. */
function entityBlocks(entity: JsonRecord): Pane | undefined {
  const payload = readRecord(entity['entity_payload']);
  const attributes = readRecord(payload['attributes']);
  const title = readText(readRecord(attributes['title']), 'text');
  const isKnown = entityTypes.includes(readText(entity, 'entity_type') ?? '');
  const id = readText(readRecord(entity['external_ref']), 'id');
  const fields = payload['custom_fields'] ?? [];
  if (title === undefined || !isKnown || id === undefined || !Array.isArray(fields)) return undefined;
  const texts = fields.map(readRecord).map((field) => `${readText(field, 'label')}: ${readText(field, 'value')}`);
  const kind = [readText(attributes, 'display_type'), readText(attributes, 'product_name')].filter(Boolean).join(' · ');
  const section = (text: string): KnownBlock => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } });
  const context: KnownBlock = {
    type: 'context',
    elements: [{ type: 'plain_text', text: kind || 'Link', emoji: false }],
  };
  return { title, blocks: [section(title), ...texts.map((text) => section(text.slice(0, 3000))), context] };
}

/** https://docs.slack.dev/reference/methods/entity.presentDetails. The local Slack shows the pane as a modal. */
export function presentDetails({ fields, workspace, triggers }: Call): JsonRecord {
  const triggerId = readText(fields, 'trigger_id');
  if (triggerId === undefined) throw new Refused('invalid_trigger_id');
  const [metadata, error] = [asSent(fields['metadata']), asSent(fields['error'])];
  const entity = isRecord(metadata) ? entityBlocks(metadata) : undefined;
  const shown = entity ?? (isRecord(error) ? errorBlocks(error) : undefined);
  if (!shown) throw new Refused('invalid_metadata');
  workspace.views.open(paneOf(shown), triggers.redeem(triggerId, workspace).userId);
  return {};
}

function errorBlocks(error: JsonRecord): Pane {
  const text = readText(error, 'custom_message') ?? `The app could not show this (${readText(error, 'status')}).`;
  const title = readText(error, 'custom_title') ?? 'Not shown';
  return { title, blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }] };
}

function paneOf({ title, blocks }: Pane): ViewContent {
  const short = title.length > 24 ? `${title.slice(0, 23)}…` : title;
  return {
    type: 'modal',
    blocks,
    title: { type: 'plain_text', text: short, emoji: false },
    submit: null,
    close: { type: 'plain_text', text: 'Close', emoji: false },
    ...{ privateMetadata: '', callbackId: '' },
  };
}
