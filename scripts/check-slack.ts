/**
 * Checks manifest.yml in each mode against Slack's manifest schema, and messages and views against Slack's types and limits
 * (`npm run check:slack`), these also against Slack itself if SLACK_BOT_TOKEN is set.
 * Arguments: files of payloads; if there are none, the golden corpus and what tests recorded in the folder `slack-corpus`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { argv, env } from 'node:process';
import { ErrorCode, WebClient } from '@slack/web-api';
import { isRecord } from '../src/shared/json.ts';
import { manifestProblems, manifestsIn } from '../test/support/slack/manifest-schema.ts';
import {
  type CorpusLine,
  contractProblems,
  goldenFile,
  parseCorpus,
  type SlackPayload,
} from '../test/support/slack/slack-contract.ts';

const recorded = 'slack-corpus';
const { SLACK_BOT_TOKEN: token, SLACK_API_URL: slackApiUrl } = env;

const files = argv.length > 2 ? argv.slice(2) : [goldenFile, ...recordedFiles()];
const lines = files.flatMap((file) => parseCorpus(readFileSync(file, 'utf8')));
const client = token ? new WebClient(token, slackApiUrl ? { slackApiUrl } : {}) : undefined;
let refusedCount = 0;
for (const [mode, manifest] of manifestsIn(readFileSync('manifest.yml', 'utf8'))) {
  report(`manifest.yml ${mode}`, manifestProblems(manifest));
}
for (const line of lines) await check(line);
const by = client
  ? 'its types, its limits and Slack itself'
  : 'its types and limits; set SLACK_BOT_TOKEN to ask Slack itself';
console.log(`The manifest in each mode, ${lines.length} messages and views: ${refusedCount} refused by ${by}.`);
if (refusedCount > 0) process.exitCode = 1;

function recordedFiles(): readonly string[] {
  return existsSync(recorded) ? readdirSync(recorded).map((name) => `${recorded}/${name}`) : [];
}

async function check({ shown, payload }: CorpusLine): Promise<void> {
  const problems = [...contractProblems(payload), ...(client ? await refusalsOf(client, payload) : [])];
  report(shown, problems);
}

function report(shown: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  refusedCount += 1;
  console.log(`${shown}:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
}

/** https://docs.slack.dev/reference/methods/blocks.validate needs no scope; the client waits where Slack limits the rate. */
async function refusalsOf(slack: WebClient, payload: SlackPayload): Promise<readonly string[]> {
  const asked = 'view' in payload ? { view: payload.view } : { message: { blocks: payload.blocks } };
  try {
    await slack.apiCall('blocks.validate', asked);
    return [];
  } catch (error) {
    if (!isRecord(error) || error['code'] !== ErrorCode.PlatformError || !isRecord(error['data'])) throw error;
    const { error: name, errors } = error['data'];
    const places = (Array.isArray(errors) ? errors : []).map(({ pointer, message }) => `${pointer} ${message}`);
    if (places.length === 0 && !/^invalid_(blocks|message|view)$/.test(String(name))) throw error;
    return places.length > 0 ? places : [`Slack: ${name}`];
  }
}
