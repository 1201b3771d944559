/** A process that moves an organization, and kills itself at a failpoint. Arguments: two URLs, organization, server, failpoint. */
import { argv, kill, pid } from 'node:process';
import { moveOrganization } from '../../src/query-service/records/servers/move.ts';

const [main = '', b = '', organizationId = '', to = '', failpoint] = argv.slice(2);
const urls = new Map([
  ['main', main],
  ['b', b],
]);
await moveOrganization(
  {
    ...{ organizationId, urls, readersEndMs: 1_000, report: () => {} },
    onFailpoint: (reached) => {
      if (reached === failpoint) kill(pid, 'SIGKILL');
    },
  },
  to,
);
