/** `npm run bench -- attack [executions | bot]`: how others fare while somebody takes all they can; `bot` for the bot's half alone. */
import { attackBot } from './attack/bot.ts';
import { attackService } from './attack/service.ts';
import { machine, writeFigures } from './support/figures.ts';

const [, , , size = '1000000'] = process.argv;

console.log(`${machine()}\n`);
const bot = await attackBot();
const service = size === 'bot' ? {} : { service: await attackService(Number(size)) };
console.log(`Numbers: ${writeFigures('attack', { bot, ...service })}`);
process.exit();
