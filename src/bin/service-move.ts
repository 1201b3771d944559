/** `npm run service:move -- --organization <id> --to <server>`: moves an organization to another server while it is used. */
import './harden-process.ts';
import { mainServer } from '../query-service/records/servers/directory.ts';
import { cancelMove, moveOrganization } from '../query-service/records/servers/move.ts';
import { runServiceScript } from './service-script.ts';

await runServiceScript({
  usage: 'npm run service:move -- --organization <id> (--to <server> | --cancel)',
  flags: { organization: { type: 'string' }, to: { type: 'string' }, cancel: { type: 'boolean' } },
  makesDatabase: false,
  async run({ databases, flags: { organization: organizationId, to, cancel }, words, refuse }) {
    const { url, servers } = databases;
    if (servers === undefined) return refuse('SERVICE_SERVERS is needed: it names the servers.');
    if (words.length > 0) return refuse('It takes flags only.');
    if (organizationId === undefined) return refuse('--organization is needed.');
    const options = {
      ...{ organizationId, urls: new Map([[mainServer, url], ...servers]) },
      report: (sentence: string) => console.error(sentence),
    };
    if (cancel === true) {
      await cancelMove(options);
      return console.log(`The move of ${organizationId} is cancelled.`);
    }
    if (to === undefined) return refuse('--to or --cancel is needed.');
    const hasMoved = await moveOrganization(options, to);
    console.log(`${organizationId} is on ${to}${hasMoved ? '' : ' already'}.`);
  },
});
