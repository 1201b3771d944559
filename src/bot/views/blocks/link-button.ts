/** A button that leads out of Slack. */
import type { Button } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { outsideLine } from '../format/outside-text.ts';

/** @param url http or https @returns none where there is no address, or it is longer than Slack carries */
export function linkButton(label: string, url: string | undefined): readonly Button[] {
  if (url === undefined || url.length > limits.button.urlUnitsMax) return [];
  const text = outsideLine(label, limits.button.textUnitsMax);
  return [{ type: 'button', action_id: `link:${text}`, text: { type: 'plain_text', text, emoji: false }, url }];
}
