/** A `node:http` server that sends the same bytes to every request: the upper bound of any server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = Buffer.from(`{"data":"${'x'.repeat(Math.max(0, Number(process.env['ANSWER_BYTES']) - 11))}"}`);
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/` }));
});
// The benchmark has ended.
process.on('disconnect', () => process.exit());
