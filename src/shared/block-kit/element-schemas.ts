/** Schemas of block elements: buttons, boxes, inputs, images, and menus of every kind. */
import { limits } from './limits.ts';
import {
  anyText,
  type Catalogue,
  choice,
  entry,
  integer,
  list,
  type Members,
  matching,
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

/** An option of a menu, with plain text, or of a group of boxes, whose text may be mrkdwn. */
function optionOf(words: (unitsMax: number) => Schema, extra: Members['optional'] = {}): Schema {
  return record({
    required: { text: words(option.textUnitsMax), value: string(option.valueUnitsMax) },
    optional: { description: words(option.descriptionUnitsMax), ...extra },
  });
}

const menuOption = optionOf(plainText);
const boxOption = optionOf(anyText);
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

/** An interactive element: it has an action id and may have a confirmation dialog. */
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

const { button, image } = limits;
const isoDate = matching(/^\d{4}-\d{2}-\d{2}$/);
const clockTime = matching(/^\d{2}:\d{2}$/);

function input(members: Members, surfaces = everywhere): Catalogue[string] {
  const dispatchConfig = record({
    optional: { trigger_actions_on: list(choice('on_enter_pressed', 'on_character_entered'), 2) },
  });
  const optional = { placeholder, focus_on_load: yesOrNo, dispatch_action_config: dispatchConfig };
  return {
    surfaces,
    ...members,
    optional: { action_id: identifier, ...optional, ...members.optional },
  };
}

const inputs: Catalogue = {
  plain_text_input: input({
    optional: {
      initial_value: string(limits.textInput.lengthMax, 0),
      multiline: yesOrNo,
      min_length: integer(0, limits.textInput.lengthMax),
      max_length: integer(1, limits.textInput.lengthMax),
    },
  }),
  email_text_input: input({ optional: { initial_value: string() } }, ['modal']),
  url_text_input: input({ optional: { initial_value: string() } }, ['modal']),
  number_input: input(
    {
      required: { is_decimal_allowed: yesOrNo },
      optional: { initial_value: string(), min_value: string(), max_value: string() },
    },
    ['modal'],
  ),
  rich_text_input: input(
    {
      optional: {
        initial_value: entry('parts', 'rich_text'),
        min_lines: integer(1, limits.richTextInput.linesMax),
        max_lines: integer(1, limits.richTextInput.linesMax),
      },
    },
    ['modal', 'home'],
  ),
  file_input: {
    surfaces: ['modal'],
    optional: {
      action_id: identifier,
      filetypes: list(string()),
      max_files: integer(1, limits.fileInput.filesMax),
    },
  },
};

const feedback = record({
  required: { text: plainText(button.textUnitsMax), value: string(button.valueUnitsMax) },
  optional: { accessibility_label: string(button.labelUnitsMax) },
});

export const elements: Catalogue = {
  ...menus,
  ...inputs,
  button: interactive({
    required: { text: plainText(button.textUnitsMax) },
    optional: {
      value: string(button.valueUnitsMax),
      url: url(button.urlUnitsMax),
      style,
      accessibility_label: string(button.labelUnitsMax),
    },
  }),
  icon_button: interactive(
    {
      required: { icon: string(), text: plainText(button.textUnitsMax) },
      optional: {
        value: string(button.valueUnitsMax),
        accessibility_label: string(button.labelUnitsMax),
        visible_to_user_ids: list(string()),
      },
    },
    ['message'],
  ),
  feedback_buttons: {
    surfaces: ['message'],
    required: { positive_button: feedback, negative_button: feedback },
    optional: { action_id: identifier },
  },
  checkboxes: interactive({
    required: { options: list(boxOption, limits.choice.optionsMax) },
    optional: { initial_options: list(boxOption, limits.choice.optionsMax), focus_on_load: yesOrNo },
  }),
  radio_buttons: interactive({
    required: { options: list(boxOption, limits.choice.optionsMax) },
    optional: { initial_option: boxOption, focus_on_load: yesOrNo },
  }),
  datepicker: menu({ optional: { initial_date: isoDate } }),
  timepicker: menu({ optional: { initial_time: clockTime, timezone: string() } }),
  datetimepicker: interactive({ optional: { initial_date_time: integer(0), focus_on_load: yesOrNo } }, [
    'message',
    'modal',
  ]),
  image: {
    surfaces: everywhere,
    required: { alt_text: string(image.altUnitsMax) },
    oneOf: ['image_url', 'slack_file'],
    optional: {
      image_url: url(image.urlUnitsMax),
      slack_file: record({ oneOf: ['id', 'url'], optional: { id: string(), url: url(image.urlUnitsMax) } }),
    },
  },
  plain_text: {
    surfaces: everywhere,
    required: { text: string(limits.text.unitsMax) },
    optional: { emoji: yesOrNo },
  },
  mrkdwn: {
    surfaces: everywhere,
    required: { text: string(limits.text.unitsMax) },
    optional: { verbatim: yesOrNo },
  },
  url: { surfaces: ['message'], required: { url: url(button.urlUnitsMax), text: string() } },
};
