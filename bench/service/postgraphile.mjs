/**
 * PostGraphile 5 over the service's tables, as in its documentation, in its own process. It is a package of bench/package.json, hence no
 * TypeScript. Lists are its connections; queries that it cannot express are SQL functions.
 */
import { createServer } from 'node:http';
import { Client } from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

/** Comments declare the foreign keys that the tables lack. Executions are counted one by one, without a roll-up. */
const definitions = `
  comment on table execution is '@foreignKey (organization_id, workflow_uuid) references workflow (organization_id, uuid)';
  create or replace function activity(organization text, workflow text, "from" bigint, "to" bigint)
  returns table (day bigint, success_count bigint, failure_count bigint) language sql stable as $$
    select started_at - started_at % 86400000, count(*) filter (where status = 'SUCCESS'), count(*) filter (where status = 'FAILURE')
    from execution
    where organization_id = activity.organization and workflow_uuid = activity.workflow and status in ('SUCCESS', 'FAILURE')
      and started_at between activity."from" and activity."to"
    group by 1 order by 1
  $$;
  create or replace function search_workflows(organization text, search text)
  returns setof workflow language sql stable as $$
    select * from workflow
    where organization_id = search_workflows.organization and strpos(folded_name, search_workflows.search) > 0
    order by registered_at desc, uuid desc
  $$;
  create or replace function workflow_counts(workflow workflow, "from" bigint default null, out total bigint, out success bigint, out failure bigint)
  language sql stable as $$
    select count(*), count(*) filter (where status = 'SUCCESS'), count(*) filter (where status = 'FAILURE')
    from execution
    where organization_id = workflow.organization_id and workflow_uuid = workflow.uuid
      and started_at >= coalesce(workflow_counts."from", 0)
  $$;`;

const connectionString = process.env.DATABASE_URL;
const client = new Client({ connectionString });
await client.connect();
await client.query(definitions);
await client.end();

const service = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['public'], max: Number(process.env.POOL_SIZE) })],
  grafserv: { graphiql: false, websockets: false },
  grafast: { explain: false },
}).createServ(grafserv);
const server = createServer();
await service.addTo(server);
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/graphql` }));
});
// The benchmark has ended.
process.on('disconnect', () => process.exit());
