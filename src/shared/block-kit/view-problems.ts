/** What Slack would refuse in a modal or a Home: the frame around the blocks, then the blocks themselves. */

import { limits } from './limits.ts';
import { type BlockProblem, choice, type Members, plainText, record, string, yesOrNo } from './schema.ts';
import { validateBlocks, validateValue } from './validate.ts';
import { type Fields, isRecord } from './whole-problems.ts';

export type ViewSurface = 'modal' | 'home';

const { buttonUnitsMax, metadataUnitsMax, titleUnitsMax } = limits.view;

const shared: Members['optional'] = {
  private_metadata: string(metadataUnitsMax, 0),
  callback_id: string(limits.id.unitsMax, 0),
  external_id: string(limits.id.unitsMax, 0),
};

/** https://docs.slack.dev/reference/views: a Home has neither title nor buttons. */
const frames = {
  modal: record({
    required: { type: choice('modal'), title: plainText(titleUnitsMax) },
    optional: {
      ...shared,
      submit: plainText(buttonUnitsMax),
      close: plainText(buttonUnitsMax),
      clear_on_close: yesOrNo,
      notify_on_close: yesOrNo,
    },
  }),
  home: record({ required: { type: choice('home') }, optional: shared }),
};

/**
 * @param view anything; what comes from a view function is typed, what comes over HTTP is not
 * @returns empty when Slack takes the view
 */
export function validateView(view: unknown, surface: ViewSurface): readonly BlockProblem[] {
  if (!isRecord(view)) return [{ pointer: '/view', reason: 'must provide an object' }];
  const { blocks, ...frame } = view;
  const problems = [
    ...validateValue(frames[surface], frame, { step: '/view', surface }),
    ...validateBlocks(blocks, surface).map(({ pointer, reason }) => ({ pointer: `/view${pointer}`, reason })),
  ];
  return problems.length > 0 ? problems : wholeViewProblems(view, surface);
}

function wholeViewProblems(view: Fields, surface: ViewSurface): readonly BlockProblem[] {
  const blocks = Array.isArray(view['blocks']) ? view['blocks'].filter(isRecord) : [];
  const hasInput = blocks.some(({ type }) => type === 'input');
  const isMute = surface === 'modal' && hasInput && view['submit'] === undefined;
  return [
    ...(isMute ? [{ pointer: '/view', reason: 'missing required field: submit (there are input blocks)' }] : []),
    ...(focusCount(blocks) > 1 ? [{ pointer: '/view/blocks', reason: 'only one element may focus_on_load' }] : []),
  ];
}

function focusCount(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + focusCount(item), 0);
  if (!isRecord(value)) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + focusCount(item), value['focus_on_load'] ? 1 : 0);
}
