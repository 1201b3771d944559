/** Schemas of the blocks that the bot sends, with the surfaces on which each may appear (@slack/types 3.2 and Slack's block reference). */

import { chart, dataVisualization } from './data-visualization.ts';
import { limits } from './limits.ts';
import {
  anyNumber,
  anyText,
  type Catalogue,
  type CatalogueName,
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

const style = record({
  optional: { bold: yesOrNo, code: yesOrNo, italic: yesOrNo, strike: yesOrNo, underline: yesOrNo },
});

const leaves = list(entry('parts', 'text', 'link', 'user', 'channel', 'emoji', 'date'), undefined, 0);
const border = choice(0, 1);
const address = url(limits.button.urlUnitsMax);

function leaf(members: Members): Catalogue[string] {
  return { surfaces: everywhere, ...members, optional: { ...members.optional, style } };
}

/** Rich text as a block or a cell. */
const richText: Catalogue[string] = {
  surfaces: everywhere,
  required: {
    elements: list(entry('parts', 'rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted')),
  },
  optional: { block_id: string(limits.id.unitsMax) },
};

/** The elements of rich text, the cells of tables, and charts. */
const parts: Catalogue = {
  bar: chart,
  rich_text: richText,
  raw_text: { surfaces: everywhere, required: { text: string() } },
  raw_number: { surfaces: everywhere, required: { value: anyNumber, text: string() } },
  rich_text_section: { surfaces: everywhere, required: { elements: leaves } },
  rich_text_list: {
    surfaces: everywhere,
    required: {
      elements: list(entry('parts', 'rich_text_section')),
      style: choice('bullet', 'ordered'),
    },
    optional: { indent: integer(0, limits.richText.indentMax), offset: integer(0), border },
  },
  rich_text_quote: { surfaces: everywhere, required: { elements: leaves }, optional: { border } },
  rich_text_preformatted: {
    surfaces: everywhere,
    required: { elements: list(entry('parts', 'text', 'link')) },
    optional: { border, language: string() },
  },
  text: leaf({ required: { text: string() } }),
  link: leaf({ required: { url: address }, optional: { text: string(), unsafe: yesOrNo } }),
  user: leaf({ required: { user_id: string() } }),
  channel: leaf({ required: { channel_id: string() } }),
  emoji: leaf({ required: { name: string() }, optional: { unicode: string(), url: address } }),
  date: leaf({
    required: { timestamp: integer(0), format: string() },
    optional: { url: address, fallback: string() },
  }),
};

const messageOnly: readonly Surface[] = ['message'];
const { section, table } = limits;

const selects = ['users', 'static', 'conversations', 'external'].map((kind) => `${kind}_select`);
const choices = [...selects, ...selects.map((name) => `multi_${name}`), 'checkboxes', 'radio_buttons', 'timepicker'];

const nestedRichText = entry('parts', 'rich_text');

const blocks: Catalogue = {
  actions: {
    surfaces: everywhere,
    required: { elements: list(entry('elements', 'button', ...choices), limits.actions.elementsMax) },
  },
  context: {
    surfaces: everywhere,
    required: {
      elements: list(entry('elements', 'plain_text', 'mrkdwn'), limits.context.elementsMax),
    },
  },
  data_visualization: dataVisualization,
  divider: { surfaces: everywhere },
  header: { surfaces: everywhere, required: { text: plainText(limits.header.textUnitsMax) } },
  input: {
    surfaces: everywhere,
    required: {
      label: plainText(limits.input.labelUnitsMax),
      element: entry('elements', 'plain_text_input', ...choices),
    },
    optional: { hint: plainText(limits.input.hintUnitsMax), optional: yesOrNo, dispatch_action: yesOrNo },
  },
  plan: {
    surfaces: messageOnly,
    required: { title: string() },
    optional: { tasks: list(entry('blocks', 'task_card'), limits.plan.tasksMax) },
  },
  rich_text: richText,
  section: {
    surfaces: everywhere,
    anyOf: ['text', 'fields'],
    optional: {
      text: anyText(section.textUnitsMax),
      fields: list(anyText(section.fieldUnitsMax), section.fieldsMax),
      accessory: entry('elements', 'button', ...choices),
      expand: yesOrNo,
    },
  },
  table: {
    surfaces: ['message', 'home'],
    required: {
      rows: list(list(entry('parts', 'raw_text', 'raw_number', 'rich_text'), table.cellsMax), table.rowsMax),
    },
    optional: {
      column_settings: list(
        record({ optional: { align: choice('left', 'center', 'right'), is_wrapped: yesOrNo } }),
        table.columnSettingsMax,
      ),
    },
  },
  task_card: {
    surfaces: messageOnly,
    required: {
      task_id: string(),
      title: string(),
      status: choice('pending', 'in_progress', 'complete', 'error'),
    },
    optional: { details: nestedRichText, output: nestedRichText },
  },
};

const { button, option, select } = limits;

const identifier = string(limits.id.unitsMax);
const buttonStyle = choice('primary', 'danger');
const placeholder = plainText(select.placeholderUnitsMax);

/** An option of a menu, with plain text, or of a group of boxes, whose text may be mrkdwn. */
function optionOf(words: (unitsMax: number) => Schema): Schema {
  return record({
    required: { text: words(option.textUnitsMax), value: string(option.valueUnitsMax) },
    optional: { description: words(option.descriptionUnitsMax) },
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

function interactive(members: Members): Catalogue[string] {
  return { surfaces: everywhere, ...members, optional: { action_id: identifier, ...members.optional } };
}

/** An interactive element with a placeholder. */
function menu(members: Members): Catalogue[string] {
  return interactive({ ...members, optional: { placeholder, focus_on_load: yesOrNo, ...members.optional } });
}

function multiMenu(members: Members): Catalogue[string] {
  return menu({ ...members, optional: { max_selected_items: integer(1), ...members.optional } });
}

const menus: Catalogue = {
  static_select: menu({
    oneOf: ['options', 'option_groups'],
    optional: { ...optionSource, initial_option: menuOption },
  }),
  external_select: menu({ optional: { initial_option: menuOption, min_query_length: integer(0) } }),
  users_select: menu({ optional: { initial_user: string() } }),
  conversations_select: menu({ optional: { initial_conversation: string(), filter: conversationFilter } }),
  multi_static_select: multiMenu({
    oneOf: ['options', 'option_groups'],
    optional: { ...optionSource, initial_options: list(menuOption, select.optionsMax) },
  }),
  multi_external_select: multiMenu({
    optional: { initial_options: list(menuOption, select.optionsMax), min_query_length: integer(0) },
  }),
  multi_users_select: multiMenu({ optional: { initial_users: list(string()) } }),
  multi_conversations_select: multiMenu({
    optional: { initial_conversations: list(string()), filter: conversationFilter },
  }),
};

const clockTime = matching(/^\d{2}:\d{2}$/);

const elements: Catalogue = {
  ...menus,
  plain_text_input: menu({
    optional: {
      initial_value: string(limits.textInput.lengthMax, 0),
      multiline: yesOrNo,
      min_length: integer(0, limits.textInput.lengthMax),
      max_length: integer(1, limits.textInput.lengthMax),
    },
  }),
  button: interactive({
    required: { text: plainText(button.textUnitsMax) },
    optional: {
      value: string(button.valueUnitsMax),
      url: url(button.urlUnitsMax),
      style: buttonStyle,
      accessibility_label: string(button.labelUnitsMax),
    },
  }),
  checkboxes: interactive({
    required: { options: list(boxOption, limits.choice.optionsMax) },
    optional: { initial_options: list(boxOption, limits.choice.optionsMax), focus_on_load: yesOrNo },
  }),
  radio_buttons: interactive({
    required: { options: list(boxOption, limits.choice.optionsMax) },
    optional: { initial_option: boxOption, focus_on_load: yesOrNo },
  }),
  timepicker: menu({ optional: { initial_time: clockTime, timezone: string() } }),
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
};

const blockId = string(limits.id.unitsMax);

/** All objects with a `type`. */
export const catalogues: Readonly<Record<CatalogueName, Catalogue>> = {
  blocks: Object.fromEntries(
    Object.entries(blocks).map(([type, block]) => [
      type,
      { ...block, optional: { block_id: blockId, ...block.optional } },
    ]),
  ),
  elements,
  parts,
};

/** The accepted block types. */
export const blockTypes: readonly string[] = Object.keys(blocks);
