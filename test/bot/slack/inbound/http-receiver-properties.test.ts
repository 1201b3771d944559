/** Any request with Slack’s signature is acknowledged, and the process continues. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startHttpBot } from '../../../support/slack/signed-http.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

const kinds = [
  'block_actions',
  'view_submission',
  'view_closed',
  'block_suggestion',
  'message_action',
  'event_callback',
];
const anything = fc.anything({ withNullPrototype: true, withObjectString: true, maxDepth: 3 });
/** Partly of the right shape, so that it reaches a listener. */
const body = fc.record(
  {
    type: fc.oneof(fc.constantFrom(...kinds), anything),
    command: fc.oneof(fc.constant('/workflow'), anything),
    text: fc.oneof(fc.constant('list'), anything),
    team: fc.oneof(fc.constant({ id: 'T0FAKE' }), anything),
    team_id: fc.oneof(fc.constant('T0FAKE'), anything),
    user: fc.oneof(fc.constant({ id: 'U0ANNA', team_id: 'T0FAKE' }), anything),
    channel: fc.oneof(fc.constant({ id: 'C0OPS' }), anything),
    actions: fc.oneof(fc.constant([{ type: 'button', action_id: 'cmd:open:list', value: 'list' }]), anything),
    event: fc.oneof(fc.constant({ type: 'app_mention', user: 'U0ANNA', channel: 'C0OPS', text: 'list' }), anything),
    view: anything,
    message: anything,
    authorizations: anything,
    response_url: anything,
    function_data: anything,
    __proto__: anything,
  },
  { requiredKeys: [] },
);

const asField = ([name, value]: [string, unknown]) => [name, typeof value === 'string' ? value : JSON.stringify(value)];

it('a signed object of any shape is answered, as JSON, as an interaction and as a form', async () => {
  await using run = await startHttpBot();
  const property = fc.asyncProperty(body, async (value) => {
    const answers = [
      await run.postJson(value),
      await run.post({ payload: JSON.stringify(value) }),
      await run.post(Object.fromEntries(Object.entries(value).map(asField))),
    ];
    for (const { status } of answers) expect([200, 400]).toContain(status);
  });
  await fc.assert(property, { numRuns: 300 });
  expect((await run.post(commandPayload(run.slack, 'fine'))).text).toContain('You typed fine');
});
