/**
 * A bare `node:http` server with one hand-written statement for each query, in its own process: the minimum of such a server. It answers
 * as the service does, without keys or limits, and reads the same roll-up.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';

import { type Row, statements } from './hand-written-sql.ts';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: Number(process.env['POOL_SIZE']) });
pool.on('error', () => {});

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const variables: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const name = request.url ?? '';
  const statement = statements.get(name);
  if (!statement) return response.writeHead(404).end();
  const { text, values, finish } = statement;
  const { rows } = await pool.query<Row>({ name, text, values: [...values(variables)], rowMode: 'array' });
  const [row = []] = rows;
  const body = Buffer.from(`{"data":${finish ? finish(row) : row[0]}}`);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  return response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
// The benchmark has ended.
process.on('disconnect', () => process.exit());
