/** Schemas of rich text. */
import { limits } from './limits.ts';
import {
  anyNumber,
  type Catalogue,
  choice,
  entry,
  integer,
  list,
  type Members,
  matching,
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

/** Rich text where a block or a cell is asked for. */
export const richText: Catalogue[string] = {
  surfaces: everywhere,
  required: {
    elements: list(entry('parts', 'rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted')),
  },
  optional: { block_id: string(limits.id.unitsMax) },
};

/** The parts of rich text, and the cells of tables. */
export const richTextParts: Catalogue = {
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
    required: { timestamp: anyNumber, format: string() },
    optional: { url: address, fallback: string() },
  }),
};
