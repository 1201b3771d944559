/** The elements that blocks hold besides menus: buttons, boxes, inputs, images. */
import { limits } from './limits.ts';
import { boxOption, identifier, interactive, menu, menus, placeholder, style } from './menu-shapes.ts';
import {
  type Catalogue,
  choice,
  entry,
  integer,
  list,
  type Members,
  matching,
  plainText,
  record,
  type Surface,
  string,
  url,
  yesOrNo,
} from './schema.ts';

const everywhere: readonly Surface[] = ['message', 'modal', 'home'];
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
