/** `npm run bench -- attack [executions | bot]`: latency of other clients while one client sends as much as it can; `bot` runs the bot's part only. */
import { attackBot } from './attack/bot.ts';
import { attackService } from './attack/service.ts';
import { machine, writeFigures } from './support/figures.ts';

const [, , , size = '1000000'] = process.argv;

console.log(`${machine()}\n`);
const bot = await attackBot();
const service = size === 'bot' ? {} : { service: await attackService(Number(size)) };
console.log(`Numbers: ${writeFigures('attack', { bot, ...service })}`);
process.exit();
