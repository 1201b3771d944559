/** A menu of conversations may ask for an address to answer into the one chosen (`response_url_enabled`). */
import { interactiveElements, type State } from '../interactions/elements.ts';
import type { InvokeDeps } from '../interactions/invoke.ts';
import { type Fields, textField } from '../server/json.ts';
import { canSee, findChannel } from '../state/workspace.ts';
import type { OwnView } from './own-view.ts';

/** @returns Slack's `response_urls`; only for conversations the person can see */
export function responseUrlFields(
  { workspace, person, view }: OwnView,
  state: State,
  deps: InvokeDeps,
): readonly Fields[] {
  const asking = interactiveElements(view.blocks).filter(({ element }) => element['response_url_enabled'] === true);
  return asking.flatMap(({ blockId, element }) => {
    const actionId = textField(element, 'action_id') ?? '';
    const told = state[blockId]?.[actionId];
    const chosen = told?.['selected_conversation'] ?? told?.['selected_channel'];
    const channel = typeof chosen === 'string' ? findChannel(workspace, chosen) : undefined;
    if (!channel || !canSee(channel, person.id)) return [];
    const place = { workspace, userId: person.id, channelId: channel.id, kind: 'app', originalTs: null } as const;
    const responseUrl = deps.baseUrl() + deps.responseUrls.issue(place);
    return [{ block_id: blockId, action_id: actionId, channel_id: channel.id, response_url: responseUrl }];
  });
}
