/** `npm start`: the bot in a real workspace if Slack tokens are set, otherwise the playground. */
import './harden-process.ts';
import { mkdirSync } from 'node:fs';
import { pino } from 'pino';
import { startBot } from '../bot/compose.ts';
import { type BotConfig, type Config, type PlaygroundConfig, readConfig } from '../bot/config.ts';
import { AppError } from '../shared/errors.ts';
import { createLog } from '../shared/log/pino-logger.ts';
import { fail, readEnvironment, refuseSettings } from './environment.ts';
import { startPlayground } from './playground/compose.ts';
import { playgroundWelcome } from './playground/welcome.ts';
import { exitOnUncaught, runUntilSignal } from './shutdown.ts';

try {
  const config = readSettings();
  if (config.mode === 'playground') await showPlayground(config);
  else await runBot(config);
} catch (error) {
  fail(error);
}

async function runBot(config: BotConfig): Promise<void> {
  const log = createLog({ level: config.logLevel });
  exitOnUncaught(log);
  runUntilSignal(await startBot(config, log));
}

/** Ends the program with exit code 2 and every problem if a setting is wrong. */
function readSettings(): Config {
  const result = readConfig(readEnvironment());
  return result.isValid ? result.config : refuseSettings(result.problems);
}

/** Standard output is for people here, so the log goes to a file. */
async function showPlayground(playground: PlaygroundConfig): Promise<void> {
  const log = createLog({ level: playground.logLevel, destination: logFile() });
  exitOnUncaught(log);
  const running = await startPlayground(playground, log);
  console.log(playgroundWelcome({ ...running, slashCommand: playground.slackCommand }));
  const isStopping = runUntilSignal(running);
  await running.serviceEnded;
  if (isStopping()) return;
  throw new AppError('unavailable', 'The query service ended by itself; data/playground.log may say why.');
}

function logFile() {
  try {
    mkdirSync('data', { recursive: true });
    return pino.destination({ dest: 'data/playground.log', sync: true });
  } catch (cause) {
    throw new AppError('unavailable', 'The folder data cannot be written to.', {
      cause,
      hint: 'The log and the databases of the local Slack go there. A real workspace needs settings, such as SLACK_BOT_TOKEN and SLACK_APP_TOKEN: README.md.',
    });
  }
}
