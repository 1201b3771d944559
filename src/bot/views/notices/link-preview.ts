/** Previews of links to the platform's web page: what a channel sees, and what one person sees who opens the preview. */
import type { EntityMetadata, KnownBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import type { WebTarget } from '../../domain/web-links.ts';
import type { Verdict } from '../../insight/health/health.ts';
import type { Message } from '../blocks/message.ts';
import { bold, emoji, paragraph, rich, trusted } from '../blocks/rich-text.ts';
import { verdictEmoji, verdictLabel } from '../format/health.ts';
import { outsideLine, truncate } from '../format/outside-text.ts';
import { executionResultEmoji, executionResultLabel } from '../format/status-labels.ts';

/** Name and state only: everybody in the channel reads it. */
export type LinkPreview = {
  readonly target: WebTarget;
  /** The workflow's name. */
  readonly name: string;
  readonly state: string;
  /** Slack's name, without colons. */
  readonly stateEmoji: string;
};

/** @param status of the deployment, as the service spells it */
export function workflowPreview(uuid: string, name: string, verdict: Verdict, status: string): LinkPreview {
  const state = verdictLabel(verdict, status);
  return {
    target: { kind: 'workflow', uuid },
    name: shown(name),
    state: shown(state),
    stateEmoji: verdictEmoji(verdict),
  };
}

type Ended = Parameters<typeof executionResultLabel>[0];

export function executionPreview(uuid: string, name: string, execution: Ended): LinkPreview {
  const [state, stateEmoji] = [executionResultLabel(execution), executionResultEmoji(execution)];
  return { target: { kind: 'execution', uuid }, name: shown(name), state: shown(state), stateEmoji };
}

function shown(text: string): string {
  return outsideLine(text, 150);
}

const kindWords = { workflow: 'Workflow', execution: 'Run' } as const satisfies Record<WebTarget['kind'], string>;

export function previewBlocks({ target, name, state, stateEmoji }: LinkPreview): KnownBlock[] {
  const of = target.kind === 'execution' ? trusted('run of ') : trusted('');
  return [paragraph(rich`${emoji(stateEmoji)} ${of}${bold(name)}: ${trusted(state)}`)];
}

/**
 * The preview as a Work Object: https://docs.slack.dev/messaging/work-objects-implementation
 * @param url of the workflow or execution @param postedUrl exactly as in the message
 * @param details for one person; a Work Object in a channel has none
 */
export function previewEntity(
  { target, name, state }: LinkPreview,
  { url, postedUrl, details }: { readonly url: string; readonly postedUrl: string; readonly details?: string },
): EntityMetadata {
  const fields = [
    { key: 'state', label: 'Status', type: 'string', value: state },
    ...(details === undefined
      ? []
      : [{ key: 'details', label: 'Details', type: 'string', value: details, long: true }]),
  ];
  return {
    app_unfurl_url: postedUrl,
    url,
    external_ref: { id: target.uuid, type: target.kind },
    entity_type: 'slack#/entities/item',
    entity_payload: {
      attributes: { title: { text: name }, display_type: kindWords[target.kind], product_name: 'Workflow Bot' },
      custom_fields: fields,
      display_order: fields.map(({ key }) => key),
    },
  };
}

/** @returns the messages without markup, for a field that shows plain text */
export function plainDetails(messages: readonly Message[]): string {
  const text = messages.map((each) => each.text).join('\n');
  const plain = text
    .replaceAll(/<([^<>|]{0,3000})(?:\|([^<>]{0,3000}))?>/g, (_, link: string, label?: string) => label ?? link)
    .replaceAll(/:[a-z][a-z_]{1,40}:\s?/g, '')
    // A title above its value.
    .replaceAll(/^\*([^*\n]{1,60})\*\n/gm, '$1: ')
    .replaceAll('*', '')
    .replaceAll(/&(lt|gt|amp);/g, (_, name: keyof typeof entities) => entities[name]);
  return truncate(plain, limits.text.unitsMax);
}

const entities = { lt: '<', gt: '>', amp: '&' } as const;
