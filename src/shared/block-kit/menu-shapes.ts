/** Menus of every kind, and what all interactive elements share. */
import { limits } from './limits.ts';
import {
  anyText,
  type Catalogue,
  choice,
  integer,
  list,
  type Members,
  plainText,
  record,
  type Schema,
  type Surface,
  string,
  url,
  yesOrNo,
} from './schema.ts';

const everywhere: readonly Surface[] = ['message', 'modal', 'home'];
const { confirm, option, select } = limits;

export const identifier = string(limits.id.unitsMax);
export const style = choice('primary', 'danger');
const confirmDialog = record({
  required: { text: anyText(confirm.textUnitsMax) },
  optional: {
    title: plainText(confirm.titleUnitsMax),
    confirm: plainText(confirm.buttonUnitsMax),
    deny: plainText(confirm.buttonUnitsMax),
    style,
  },
});
export const placeholder = plainText(select.placeholderUnitsMax);

/** An option of a menu, whose words are plain, or of a group of boxes, whose words may be mrkdwn. */
function optionOf(words: (unitsMax: number) => Schema, extra: Members['optional'] = {}): Schema {
  return record({
    required: { text: words(option.textUnitsMax), value: string(option.valueUnitsMax) },
    optional: { description: words(option.descriptionUnitsMax), ...extra },
  });
}

const menuOption = optionOf(plainText);
export const boxOption = optionOf(anyText);
const optionGroup = record({
  required: { label: plainText(select.groupLabelUnitsMax), options: list(menuOption, select.optionsMax) },
});
const optionSource: Members['optional'] = {
  options: list(menuOption, select.optionsMax),
  option_groups: list(optionGroup, select.groupsMax),
};
const conversationFilter = record({
  anyOf: ['include', 'exclude_external_shared_channels', 'exclude_bot_users'],
  optional: {
    include: list(choice('im', 'mpim', 'private', 'public')),
    exclude_external_shared_channels: yesOrNo,
    exclude_bot_users: yesOrNo,
  },
});

/** Something a person works: it has an action id, and may ask before it acts. */
export function interactive(members: Members, surfaces = everywhere): Catalogue[string] {
  return { surfaces, ...members, optional: { action_id: identifier, confirm: confirmDialog, ...members.optional } };
}

/** An interactive element with a placeholder. */
export function menu(members: Members): Catalogue[string] {
  return interactive({ ...members, optional: { placeholder, focus_on_load: yesOrNo, ...members.optional } });
}

function multiMenu(members: Members): Catalogue[string] {
  return menu({ ...members, optional: { max_selected_items: integer(1), ...members.optional } });
}

const conversationOptions: Members['optional'] = {
  default_to_current_conversation: yesOrNo,
  filter: conversationFilter,
};
const responseUrl: Members['optional'] = { response_url_enabled: yesOrNo };

export const menus: Catalogue = {
  static_select: menu({
    oneOf: ['options', 'option_groups'],
    optional: { ...optionSource, initial_option: menuOption },
  }),
  external_select: menu({ optional: { initial_option: menuOption, min_query_length: integer(0) } }),
  users_select: menu({ optional: { initial_user: string() } }),
  conversations_select: menu({ optional: { initial_conversation: string(), ...conversationOptions, ...responseUrl } }),
  channels_select: menu({ optional: { initial_channel: string(), ...responseUrl } }),
  multi_static_select: multiMenu({
    oneOf: ['options', 'option_groups'],
    optional: { ...optionSource, initial_options: list(menuOption, select.optionsMax) },
  }),
  multi_external_select: multiMenu({
    optional: { initial_options: list(menuOption, select.optionsMax), min_query_length: integer(0) },
  }),
  multi_users_select: multiMenu({ optional: { initial_users: list(string()) } }),
  multi_conversations_select: multiMenu({
    optional: { initial_conversations: list(string()), ...conversationOptions },
  }),
  multi_channels_select: multiMenu({ optional: { initial_channels: list(string()) } }),
  overflow: interactive({
    required: {
      options: list(optionOf(plainText, { url: url(option.urlUnitsMax) }), limits.overflow.optionsMax),
    },
  }),
};
