/** Our bot as compose.ts wires it, with two differences: no rate limit for a person, and every thread is new. */

import { AccessControl, type Members } from '../../src/bot/commands/access/access-control.ts';
import { createWorkspaceRulesCache } from '../../src/bot/commands/access/workspace-rules.ts';
import { createDispatch, type Dispatch } from '../../src/bot/commands/framework/dispatch.ts';
import { RunningOperations } from '../../src/bot/commands/framework/running-operations.ts';
import * as registry from '../../src/bot/commands/registry.ts';
import { measureNothing } from '../../src/bot/domain/measure.ts';
import { createWebLinks } from '../../src/bot/domain/web-links.ts';
import { createQueryService } from '../../src/bot/query/query-client.ts';
import { PictureRenderer } from '../../src/bot/rendering/renderer.ts';
import { createSlackBot } from '../../src/bot/slack/bot.ts';
import { HttpReceiver } from '../../src/bot/slack/inbound/receivers/http-receiver.ts';
import { SocketReceiver } from '../../src/bot/slack/inbound/receivers/socket-receiver.ts';
import { createOutboundSlack } from '../../src/bot/slack/outbound/outbound-slack.ts';
import { createAuditLog } from '../../src/bot/store/audit-recorder.ts';
import { openStore } from '../../src/bot/store/store.ts';
import { createLog } from '../../src/shared/log/pino-logger.ts';
import { measured, readSettings } from './measured.ts';

/** The people of a large workspace: one person may type ten commands in ten seconds. */
const peopleMax = 10_000;

const settings = readSettings();
const { ready, noteAnswer } = measured(settings);
const log = createLog({ level: 'info' });
const clock = Date.now;
const createReference = () => 'bench';
const runtime = { clock, log, measure: measureNothing, createReference };
const store = await openStore(settings.databaseUrl);
const query = createQueryService({ clock, log, origins: [settings.serviceUrl] });
const slashCommand = '/workflow';
const outbound = createOutboundSlack({
  access: { kind: 'token', botToken: settings.botToken },
  ...{ slackApiUrl: settings.slackApiUrl, slashCommand, runtime },
});
// The membership and the zone of every person are in the cache: one call to Slack brings both.
const members: Members = { ...outbound.members, knownMembershipOf: () => 'member', zoneOf: async () => 'Etc/UTC' };
const audit = createAuditLog(store, runtime);
const rules = createWorkspaceRulesCache(store, runtime);
const access = new AccessControl({ runtime, store, audit, rules, members });
const pictures = new PictureRenderer(log);
let asked = 0;
const dispatch = createDispatch({
  ...{ runtime, store, audit, access, members, slashCommand },
  channels: outbound.channels,
  connections: {
    queryClientFor: (teamId, options) => {
      asked += 1;
      const keyId = settings.memory === 'none' ? String(asked) : 'environment';
      return query.forWorkspace({ teamId, keyId, endpoint: settings.serviceUrl, apiKey: settings.apiKey }, options);
    },
    connectionOf: () => {
      throw new Error('This benchmark does not connect workspaces.');
    },
  },
  operations: new RunningOperations(createReference),
  wakeOutbox: () => undefined,
  webLinks: createWebLinks(),
  commands: Object.values(registry),
  drawPng: (svg) => pictures.render(svg),
});

let typed = 0;
const dispatchForMany: Dispatch = async ({ actor, ...request }, onProgress) => {
  const startedAt = performance.now();
  typed += 1;
  const answer = await dispatch({ ...request, actor: { ...actor, userId: `U${typed % peopleMax}` } }, onProgress);
  noteAnswer(performance.now() - startedAt);
  return answer.kind === 'thread' ? { ...answer, subject: `${answer.subject} ${typed}` } : answer;
};
const { dispatcher, web, access: slackAccess } = outbound;
const receiver =
  settings.transport === 'socket'
    ? new SocketReceiver({ dispatcher, web, access: slackAccess, runtime, appToken: settings.appToken })
    : new HttpReceiver({ ...settings, runtime, host: '127.0.0.1', port: 0 });
const services = {
  ...{ runtime, slashCommand, store, slack: outbound },
  dispatch: dispatchForMany,
  opensModal: () => false,
  // This benchmark uses no menu and no form.
  searchZones: async () => [],
  searchNames: async () => [],
  namesIn: async () => [],
  submit: async () => ({ kind: 'close' }) as const,
};
const bot = createSlackBot(services, { receiver });
await bot.start();
ready(bot.origin());
