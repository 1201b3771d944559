/** Loads one bot, in a process of its own, so that its pauses are not those of the benchmark. */
import type { LoadOrder, LoadSaid, LoadSettings } from '../protocol.ts';
import { run, type Sender } from './sender.ts';
import { createSignedHttp } from './signed-http.ts';
import { startLoadSlack } from './slack.ts';

const { signingSecret } = JSON.parse(process.argv[2] ?? '{}') as LoadSettings;
const slack = await startLoadSlack();
let sender: Sender = slack;
const tell = (said: LoadSaid) => process.send?.(said);
process.on('message', async (order: LoadOrder) => {
  if (order.kind === 'target') sender = createSignedHttp({ origin: order.origin, signingSecret });
  else tell({ kind: 'load', load: await run(sender, order.pattern) });
});
process.on('disconnect', () => process.exit());
tell({ kind: 'listening', slackApiUrl: slack.apiUrl });
