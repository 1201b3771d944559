/** `npm run bench -- attack [executions]`: how others fare while somebody takes all they can. */
import { attackService } from './attack/service.ts';
import { machine, writeFigures } from './support/figures.ts';

const executions = Number(process.argv[3] ?? 1_000_000);

console.log(`${machine()}\n`);
console.log(`Numbers: ${writeFigures('attack', { service: await attackService(executions) })}`);
