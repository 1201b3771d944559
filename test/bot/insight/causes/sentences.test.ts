/** What is beside a fault does not change its cause: advice, explanations, wrapping, values. Each class has one rule. */
import { describe, expect, it } from 'vitest';
import { normaliseError } from '../../../../src/bot/insight/causes/normalize-error.ts';

const read = (error: string) => normaliseError(error, 8_000);
const fault = 'no such queue on the broker';
const rpc = (error: object) => JSON.stringify({ jsonrpc: '2.0', id: 7, error });

describe('one cause', () => {
  it.each([
    ['an instruction after the fault', fault, `${fault}. Rotate the credential and redeploy the service.`],
    ['a question after the fault', fault, `${fault}. Did you forget to declare it?`],
    ['an explanation after the fault', fault, `${fault}. This usually means that the broker was replaced.`],
    ['a pointer to documents after a full stop', fault, `${fault}. Learn more: https://docs.example.com/errors/17`],
    ['a pointer after a semicolon', fault, `${fault}; see also: https://docs.example.com/x`],
    ['a pointer after a comma', fault, `${fault}, for details refer to https://docs.example.com/x.`],
    ['a pointer on a line of its own', fault, `${fault}\nDocumentation: https://docs.example.com/x`],
    ['a pointer in brackets', fault, `${fault} [see https://docs.example.com/x]`],
    ['a pointer without a mark', fault, `${fault} see https://docs.example.com/x for more information`],
    ['a step that failed of it', fault, `flows.StepFailed: step load_orders failed: ${fault}`],
    ['the exit status of a task', fault, `${fault}\nError: Process completed with exit code 1.`],
    ['the task that returned a code', fault, `${fault}\nTask exited with return code 1`],
    [
      'the error that Python raised from it',
      fault,
      `acme.BrokerError: ${fault}\n\nThe above exception was the direct cause of the following exception:\n\nacme.StepFailed: could not save cursor`,
    ],
    ['frames of Ruby', fault, `${fault}\napp/models/queue.rb:58:in \`declare'\napp/jobs/run.rb:21:in \`perform'`],
    ['frames of Go', fault, `${fault}\nacme.dev/flows/broker.(*Client).Declare\n\t/src/broker/client.go:207`],
    [
      'frames in French',
      fault,
      `${fault}\n   à Acme.Broker.Declare(String name)\n   --- Fin de la trace de la pile ---`,
    ],
    [
      'a sentence that only says that there was an error',
      fault,
      `An error occurred while executing the state 'Pay'. ${fault}`,
    ],
    ['that the message was dropped', fault, `${fault}.\nThe message has been ignored and discarded.`],
    ['the number of an attempt in brackets', fault, `${fault} (retry 5 of 5, next retry in 0ms)`],
    [
      'the logger',
      fault,
      `2026-03-11T04:12:09Z WARN 1 --- [exec-4] o.s.Listener : Resolved [acme.BrokerException: ${fault}]`,
    ],
    [
      'the session of a role',
      'User: arn:aws:sts::481516234201:assumed-role/orders/i-0f3b1c9d2e4a55678 may not read jobs',
      'User: arn:aws:sts::481516234201:assumed-role/orders/orders-fn may not read jobs',
    ],
    ['its arguments as a tuple', `acme.ChannelClosed: (406, "${fault}")`, `acme.ChannelClosed: ${fault}`],
    ['an object that Ruby inspects', `#<Acme::BrokerError: ${fault}>`, `Acme::BrokerError: ${fault}`],
    [
      'the number of an error of the system',
      "OSError: [Errno 28] No space left on device: '/data/a.tmp'",
      'OSError: [Errno 28] No space left on device',
    ],
    ['advice after a semicolon', fault, `${fault}; check the dashboard`],
    ['a line of advice', fault, `${fault}\nIf a proxy is between, ensure that it forwards the name.`],
    [
      'an explanation with a list',
      fault,
      `${fault} ("0x"). This could be due to any of the following: - A typo, - A race`,
    ],
    ['a document in brackets', fault, `${fault} (see docs.example.org/queues#names)`],
    ['the version in brackets', fault, `${fault} (version 23.8.2 (official build))`],
    ['the name of a step around a vague fault', 'context canceled', 'step "settle" failed: context canceled'],
    ['a status that is not known', 'context canceled', '[2]Unknown: context canceled'],
    ['a message in a body in a body', fault, JSON.stringify({ error: rpc({ code: -32000, message: fault }) })],
    [
      'parameters in a body',
      'bad checksum (argument="address", value="0x1", code=INVALID_ARGUMENT, version=6.1.0)',
      rpc({
        code: -32000,
        message: 'bad checksum (argument="address", value="0x2", code=INVALID_ARGUMENT, version=6.1.0)',
      }),
    ],
    ['a code of JSON-RPC around a vague fault', 'context canceled', rpc({ code: -32000, message: 'context canceled' })],
    ['a run of values', fault, `${fault} id=7 pri=0.04 epo=0 seq=17`],
    [
      'fields that Node prints after a stack',
      'Selection of a member timed out',
      "Selection of a member timed out\n    at run (/app/a.js:3:9) {\n  reason: Description {\n    type: 'NoPrimary'\n  }\n}",
    ],
    [
      'the text around a token that is no JSON',
      `Unexpected token 'N', "{"a":NaN}" is not valid JSON`,
      `Unexpected token 'N', ..."volume":NaN,"so"... is not valid JSON`,
    ],
    [
      'a status as tonic prints it',
      'Unavailable: no healthy upstream',
      'status: Unavailable, message: "no healthy upstream", details: [], metadata: MetadataMap { headers: {} }',
    ],
    [
      'an error of the system as Rust prints it',
      'fetch quotes: tcp connect failed: Connection refused',
      'fetch quotes: tcp connect failed: Os { code: 111, kind: ConnectionRefused, message: "Connection refused" }',
    ],
    [
      'an error of JSON-RPC as Rust prints it',
      'code -32000: gas required exceeds allowance',
      '(code: -32000, message: gas required exceeds allowance (7), data: None)',
    ],
    [
      'the call that Prisma shows',
      'Unique constraint failed on the fields: (`round`)',
      'Invalid `prisma.report.create()` invocation in\n/app/src/a.ts:18:22\n\n  15 \n→ 18 await prisma.report.create(\nUnique constraint failed on the fields: (`round`)',
    ],
    ['a place in a text', 'Expecting a value', 'Expecting a value: line 1 column 9 (char 8)'],
    ['numbers with names', 'report not verified', 'report not verified: packet nonce 841 pathway 30101'],
    ['a code alone', 'SlowDown', '<Error><Code>SlowDown</Code><Message>Please wait a bit.</Message></Error>'],
    [
      'a value that was received',
      "Invalid enum value. Expected 'ETH' | 'BTC', received 'XRP'",
      "Invalid enum value. Expected 'ETH' | 'BTC', received 'SOL'",
    ],
    [
      'the end of a long message',
      'the region of the leader moved while the old writer held a stale lease for its range of keys, so follower nodes refused appends and compaction slowed',
      'the region of the leader moved while the old writer held a stale lease for its range of keys, so follower nodes refused appends and comp…',
    ],
  ])('with or without %s', (_what, one, other) => {
    expect(read(other).key).toBe(read(one).key);
  });
});

describe('two causes', () => {
  it.each([
    [
      'the data of a message that says little',
      rpc({ code: -32015, message: 'VM execution error.', data: 'gas limit below intrinsic gas' }),
      rpc({ code: -32015, message: 'VM execution error.', data: 'err: stack underflow (1 <=> 2)' }),
    ],
    [
      'any sentence of a body whose message says little',
      rpc({ code: -32602, message: 'invalid params', data: { payload: 'range 9 is bigger than the limit 7' } }),
      rpc({ code: -32602, message: 'invalid params', data: { payload: 'topics are not sorted by index' } }),
    ],
    [
      'the name of a secret without quotes',
      'secret retrieval failed for PRICE_API_KEY: key does not exist',
      'secret retrieval failed for HMAC_KEY: key does not exist',
    ],
    [
      'the token that is no JSON',
      `Unexpected token 'N', "{"a":NaN}" is not valid JSON`,
      `Unexpected token '<', "<html>" is not valid JSON`,
    ],
    [
      'the fault beside a number',
      rpc({ code: -32600, message: 'You can make log requests with up to a 500 block range.' }),
      rpc({ code: -32600, message: 'You can make trace requests on paid plans only.' }),
    ],
    ['the address that was checked', 'probe: check https://a.example/live', 'probe: check https://b.example/live'],
    [
      'the fault after an address',
      'sync stopped; see https://a.example/x: bad checksum',
      'sync stopped; see https://a.example/x: disk full',
    ],
    ['the size of a type', 'not in the 64-bit range', 'not in the 256-bit range'],
    [
      'a sentence that goes on with the reason',
      'disconnect before headers. reset reason: overflow',
      'disconnect before headers. reset reason: connection termination',
    ],
  ])('by %s', (_what, one, other) => {
    expect(read(other).key).not.toBe(read(one).key);
  });
});

describe('a title', () => {
  it.each([
    ['the dash of the message', 'NOT_FOUND - no exchange "signals"', 'NOT_FOUND - no exchange'],
    [
      'a code in brackets as a whole',
      'retry txn (ABORT_SPAN - span busy): reader lost',
      'retry txn (ABORT_SPAN - span busy)',
    ],
    ['zero as a limit', 'Number must be greater than 0', 'greater than 0'],
    ['the action of a policy', 'user ci may not perform s3:PutObject here', 's3:PutObject'],
    ['the number of a code', 'AADSTS7000222: The keys are expired', 'AADSTS7000222'],
    [
      'the name of an index',
      'E11000 duplicate key error collection: a.b index: address_1 dup key: { x: 1 }',
      'address_1',
    ],
    ['a module of an organization', "Cannot find module '@acme/feeds'", '@acme/feeds'],
    [
      'the details of a library that fit',
      'Request exceeds a defined limit.\n\nURL: https://a.example\n\nDetails: daily count exceeded\nVersion: viem@2.1.0',
      'Request exceeds a defined limit: daily count exceeded',
    ],
    [
      'the beginning of a part of the end that does not fit',
      `PerWorkflow.Consensus.ObservationSizeLimit limited for workflow ${'of the settlement team '.repeat(3)}: cannot use 131kb, maximum allowed is 100kb`,
      'PerWorkflow.Consensus.ObservationSizeLimit limited',
    ],
  ])('keeps %s', (_what, error, part) => {
    expect(read(error).title).toContain(part);
  });
});
