/** What an app sent as a view, refused as Slack refuses it. */
import type { KnownBlock, PlainTextElement } from '@slack/types';
import { limits } from '../../shared/block-kit/limits.ts';
import { type ViewSurface, viewProblems } from '../../shared/block-kit/view-problems.ts';
import { type Fields, isRecord, textField } from '../server/json.ts';
import { asSent, type Refusal, refusal, withIds } from '../state/content.ts';
import type { ViewContent } from './view.ts';

/** @param sent an object, or its JSON as forms carry it */
export function readView(sent: unknown, surface: ViewSurface): { readonly content: ViewContent } | Refusal {
  const view = asSent(sent);
  if (!isRecord(view)) return refusal('invalid_arguments', viewProblems(view, surface));
  if (JSON.stringify(view).length > limits.view.bytesMax) return refusal('view_too_large');
  const problems = viewProblems(view, surface);
  return problems.length > 0 ? refusal('invalid_arguments', problems) : { content: contentOf(view, surface) };
}

/** @param view of a shape that Slack takes */
function contentOf(view: Fields, type: ViewSurface): ViewContent {
  return {
    type,
    blocks: (view['blocks'] as readonly KnownBlock[]).map(withIds),
    title: plainText(view, 'title'),
    submit: plainText(view, 'submit'),
    close: plainText(view, 'close'),
    privateMetadata: textField(view, 'private_metadata') ?? '',
    callbackId: textField(view, 'callback_id') ?? '',
    externalId: textField(view, 'external_id') ?? '',
    clearsOnClose: view['clear_on_close'] === true,
    notifiesOnClose: view['notify_on_close'] === true,
  };
}

function plainText(view: Fields, name: string): PlainTextElement | null {
  const value = view[name];
  return isRecord(value)
    ? { type: 'plain_text', text: textField(value, 'text') ?? '', emoji: value['emoji'] !== false }
    : null;
}
