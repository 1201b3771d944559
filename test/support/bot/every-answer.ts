/** Runs commands against one service, and collects all that the answers would send to Slack. */
import { afterAll, beforeAll } from 'vitest';
import * as registry from '../../../src/bot/commands/registry.ts';
import type { Message } from '../../../src/bot/views/blocks/message.ts';
import { type Behaviour, type HostileHttp, hang, startHostileHttp } from '../service/hostile-http.ts';
import { worldKey, worldNow, worldUuids } from '../service/world.ts';
import { startTestCommands, type TestCommands } from './commands.ts';

type AnsweredFile = {
  readonly name: string;
  readonly title: string;
  readonly altText: string | undefined;
  /** Null for a picture. */
  readonly text: string | null;
};

export type EveryAnswer = {
  readonly messages: readonly Message[];
  readonly files: readonly AnsweredFile[];
  /** The whole log. */
  readonly logged: string;
  /** All that goes to Slack as one text, without JSON's escapes. */
  readonly sent: string;
};

/** Each command with its examples, and with the ids of the world. */
export const everyLine: readonly string[] = Object.values(registry).flatMap(({ name, examples }) => [
  ...examples,
  ...(name === 'deployment' ? [worldUuids.deployment] : [worldUuids.workflow, worldUuids.failure]).map(
    (uuid) => `${name} ${uuid}`,
  ),
]);

/** One line for each command, which shows every text of the service that the command shows. */
export const fewLines: readonly string[] = Object.values(registry).map(({ name }) => {
  if (name === 'account' || name === 'list') return name;
  return `${name} ${name === 'deployment' ? worldUuids.deployment : worldUuids.workflow}`;
});

/** @returns the answers to these lines while the service behaves so */
export type Answers = (behaviour: Behaviour, lines?: readonly string[]) => Promise<EveryAnswer>;

/** One bot for all cases of a file, each in a workspace of its own, so that nothing is cached. */
export function useAnswers(): Answers {
  let [server, commands]: [HostileHttp?, TestCommands?] = [];
  let workspaces = 0;
  beforeAll(async () => {
    server = await startHostileHttp(hang);
    commands = await startCommandsIn(server);
  });
  afterAll(async () => {
    await commands?.close();
    await server?.[Symbol.asyncDispose]();
  });
  return async (behaviour, lines = fewLines) => {
    if (!server || !commands) throw new Error('The bot is there as soon as the tests run.');
    const { run, logged } = commands;
    server.behaveAs(behaviour);
    workspaces += 1;
    const [teamId, before] = [`T${workspaces}`, logged().length];
    const ran = await Promise.all(lines.map((line, index) => run(line, { person: { ...somebody(index), teamId } })));
    const messages = ran.flatMap((one) => one.messages);
    const files = await Promise.all(ran.flatMap((one) => one.files).map(readFile));
    return { messages, files, logged: logged().slice(before), sent: stringsIn({ messages, files }).join('\n') };
  };
}

/** The commands of a workspace whose service is this server, at the moment of the world. An answer has a minute: a machine may be busy. */
export function startCommandsIn(server: HostileHttp): Promise<TestCommands> {
  const service = { url: server.url, apiKey: worldKey };
  return startTestCommands({ service, clock: () => worldNow });
}

/** Rate limits are per person. */
export function somebody(index: number) {
  return { teamId: 'T1', userId: `U${index}`, channelId: 'C1' };
}

type File = Awaited<ReturnType<TestCommands['run']>>['files'][number];

async function readFile({ name, title, altText, content }: File): Promise<AnsweredFile> {
  const isPicture = name.endsWith('.png');
  return { name, title, altText, text: isPicture ? null : new TextDecoder().decode(await content()) };
}

/** Every string anywhere in a value. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
