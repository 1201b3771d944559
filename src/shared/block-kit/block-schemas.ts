/** Schemas of all blocks, with the surfaces on which each may appear (@slack/types 3.2 and Slack's block reference). */
import type { KnownBlock } from '@slack/types';
import { charts, type DataVisualizationBlock, dataVisualization } from './data-visualization.ts';
import { elements } from './element-schemas.ts';
import { limits } from './limits.ts';
import {
  anyNumber,
  anyText,
  type Catalogue,
  type CatalogueName,
  choice,
  type Entry,
  entry,
  integer,
  list,
  type Members,
  matching,
  mrkdwn,
  plainText,
  record,
  type Surface,
  string,
  url,
  yesOrNo,
} from './schema.ts';

const everywhere: readonly Surface[] = ['message', 'modal', 'home'];

const style = record({
  optional: { bold: yesOrNo, code: yesOrNo, italic: yesOrNo, strike: yesOrNo, underline: yesOrNo },
});

const leafTypes = ['text', 'link', 'user', 'usergroup', 'team', 'channel', 'emoji', 'broadcast', 'color', 'date'];
const leaves = list(entry('parts', ...leafTypes), undefined, 0);
const border = choice(0, 1);
const address = url(limits.button.urlUnitsMax);

function leaf(members: Members): Catalogue[string] {
  return { surfaces: everywhere, ...members, optional: { ...members.optional, style } };
}

/** Rich text as a block or a cell. */
export const richText: Catalogue[string] = {
  surfaces: everywhere,
  required: {
    elements: list(entry('parts', 'rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted')),
  },
  optional: { block_id: string(limits.id.unitsMax) },
};

/** The elements of rich text, the cells of tables, and charts. */
const parts: Catalogue = {
  ...charts,
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
  usergroup: leaf({ required: { usergroup_id: string() } }),
  team: leaf({ required: { team_id: string() } }),
  channel: leaf({ required: { channel_id: string() } }),
  emoji: leaf({ required: { name: string() }, optional: { unicode: string(), url: address } }),
  broadcast: leaf({ required: { range: choice('here', 'channel', 'everyone') } }),
  color: leaf({ required: { value: matching(/^#[0-9a-f]{6}$/i) } }),
  date: leaf({
    required: { timestamp: integer(0), format: string() },
    optional: { url: address, fallback: string() },
  }),
};

const messageOnly: readonly Surface[] = ['message'];
const notModal: readonly Surface[] = ['message', 'home'];
const { card, container, dataTable, section, table } = limits;

const selects = ['users', 'static', 'conversations', 'channels', 'external'].map((kind) => `${kind}_select`);
const menus = [...selects, ...selects.map((name) => `multi_${name}`), 'overflow'];
const pickers = ['checkboxes', 'radio_buttons', 'datepicker', 'timepicker'];
const inputs = [
  'email_text_input',
  'url_text_input',
  'number_input',
  'plain_text_input',
  'rich_text_input',
  'file_input',
];

const image = entry('elements', 'image');
const nestedRichText = entry('parts', 'rich_text');

/** All blocks of @slack/types but two: only Slack creates `file`, and `video` needs a scope that the bot does not request. */
const blocks = {
  actions: {
    surfaces: everywhere,
    required: {
      elements: list(
        entry('elements', 'button', ...menus, ...pickers, 'datetimepicker', 'rich_text_input'),
        limits.actions.elementsMax,
      ),
    },
  },
  alert: {
    surfaces: ['modal'],
    required: { text: anyText(limits.text.unitsMax) },
    optional: { level: choice('default', 'info', 'warning', 'error', 'success') },
  },
  card: {
    surfaces: notModal,
    anyOf: ['hero_image', 'title', 'actions', 'body'],
    optional: {
      hero_image: image,
      icon: image,
      title: mrkdwn(card.titleUnitsMax),
      subtitle: mrkdwn(card.subtitleUnitsMax),
      body: mrkdwn(card.bodyUnitsMax),
      actions: list(entry('elements', 'button')),
    },
  },
  carousel: { surfaces: notModal, required: { elements: list(entry('blocks', 'card'), limits.carousel.cardsMax) } },
  container: {
    surfaces: notModal,
    required: {
      child_blocks: list(
        entry(
          'blocks',
          ...['actions', 'context', 'divider', 'header', 'image', 'input', 'rich_text', 'section', 'table'],
        ),
        container.blocksMax,
      ),
    },
    anyOf: ['title', 'rich_text_title'],
    optional: {
      title: plainText(container.titleUnitsMax),
      rich_text_title: nestedRichText,
      subtitle: anyText(container.subtitleUnitsMax),
      width: choice('narrow', 'standard', 'wide', 'full'),
      icon: image,
      is_collapsible: yesOrNo,
      default_collapsed: yesOrNo,
      has_header_divider: yesOrNo,
    },
  },
  context: {
    surfaces: everywhere,
    required: {
      elements: list(entry('elements', 'image', 'plain_text', 'mrkdwn'), limits.context.elementsMax),
    },
  },
  context_actions: {
    surfaces: messageOnly,
    required: {
      elements: list(entry('elements', 'feedback_buttons', 'icon_button'), limits.contextActions.elementsMax),
    },
  },
  data_table: {
    surfaces: messageOnly,
    required: {
      caption: string(),
      rows: list(
        list(entry('parts', 'raw_text', 'raw_number', 'rich_text'), dataTable.cellsMax),
        dataTable.rowsMax,
        dataTable.rowsMin,
      ),
    },
    optional: {
      page_size: integer(1, dataTable.pageSizeMax),
      row_header_column_index: integer(0, dataTable.cellsMax - 1),
    },
  },
  data_visualization: dataVisualization,
  divider: { surfaces: everywhere },
  header: { surfaces: everywhere, required: { text: plainText(limits.header.textUnitsMax) } },
  image: {
    ...elements['image'],
    surfaces: everywhere,
    optional: { ...elements['image']?.optional, title: plainText(limits.image.titleUnitsMax) },
  },
  input: {
    surfaces: everywhere,
    required: {
      label: plainText(limits.input.labelUnitsMax),
      element: entry('elements', ...inputs, ...menus, ...pickers, 'datetimepicker'),
    },
    optional: { hint: plainText(limits.input.hintUnitsMax), optional: yesOrNo, dispatch_action: yesOrNo },
  },
  markdown: { surfaces: messageOnly, required: { text: string(limits.message.markdownUnitsMax) } },
  plan: {
    surfaces: messageOnly,
    required: { title: string() },
    optional: { tasks: list(entry('blocks', 'task_card')) },
  },
  rich_text: richText,
  section: {
    surfaces: everywhere,
    anyOf: ['text', 'fields'],
    optional: {
      text: anyText(section.textUnitsMax),
      fields: list(anyText(section.fieldUnitsMax), section.fieldsMax),
      accessory: entry('elements', 'button', 'image', ...menus, ...pickers),
      expand: yesOrNo,
    },
  },
  table: {
    surfaces: messageOnly,
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
    optional: { details: nestedRichText, output: nestedRichText, sources: list(entry('elements', 'url')) },
  },
} satisfies Record<Exclude<KnownBlock['type'], 'file' | 'video'> | DataVisualizationBlock['type'], Entry>;

const blockId = string(limits.id.unitsMax);

/** All objects with a `type`. */
export const catalogues: Readonly<Record<CatalogueName, Catalogue>> = {
  blocks: Object.fromEntries(
    Object.entries<Entry>(blocks).map(([type, block]) => [
      type,
      { ...block, optional: { block_id: blockId, ...block.optional } },
    ]),
  ),
  elements,
  parts,
};

/** The accepted block types. */
export const blockTypes: readonly string[] = Object.keys(blocks);
