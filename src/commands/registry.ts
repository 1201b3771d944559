/** Every command, one line each: the line is its import and its registration. */
export { account } from './account/command.ts';
export { activity } from './activity/command.ts';
export { audit } from './audit/command.ts';
export { cancel } from './cancel/command.ts';
export { deployment } from './deployment/command.ts';
export { deployments } from './deployments/command.ts';
export { execution } from './execution/command.ts';
export { executions } from './executions/command.ts';
export { export } from './export/command.ts';
export { failures } from './failures/command.ts';
export { help } from './help/command.ts';
export { list } from './list/command.ts';
export { logs } from './logs/command.ts';
export { settings } from './settings/command.ts';
export { status } from './status/command.ts';
export { timeline } from './timeline/command.ts';
