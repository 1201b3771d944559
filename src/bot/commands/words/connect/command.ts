/** `connect`: connects a workspace to its query service. The key is tried before it is stored. */
import { z } from 'zod';
import type { ConnectionState } from '../../../connection/connection.ts';
import {
  type AnyCommand,
  defineCommand,
  defineForm,
  type FormAnswer,
  type FormContext,
} from '../../framework/command.ts';
import {
  closedText,
  connectedModal,
  connectModal,
  endpointId,
  isAboutService,
  moveValue,
  otherText,
  refusedText,
} from './view.ts';

const noKey = 'Enter an API key.';
const noWord = 'An API key is one word, without spaces or line breaks. Copy it again.';

const values = z.object({
  endpoint: z.string().optional(),
  key: z
    .string({ error: noKey })
    // People copy it together with the header's name.
    .transform((typed) => typed.trim().replace(/^(authorization:\s*)?apikey\s+/i, ''))
    .pipe(
      z
        .string()
        .min(1, noKey)
        .regex(/^[\x21-\x7e]+$/, noWord),
    ),
  move: z.array(z.string()).optional(),
});

type Values = z.output<typeof values>;

export const connect = defineCommand({
  name: 'connect',
  group: 'setup',
  summary: 'connects this workspace to its query service with an API key, or renews the key',
  usage: '',
  examples: ['connect'],
  needs: 'admin',
  arguments: z.strictObject({}),
  run: async (_nothing, context) => {
    const connection = context.services.connections.connectionOf(context.actor);
    connection.requireKeyring();
    return { kind: 'modal', view: connectModal(await connection.state()) };
  },
  form: defineForm({
    values,
    submit: async (given, context) => {
      const state = await context.services.connections.connectionOf(context.actor).state();
      const endpoint = state.endpoints.find((each) => endpointId(each) === given.endpoint);
      // A key goes only to the endpoint that the person saw.
      if (endpoint === undefined) {
        return { kind: 'view', view: connectModal({ ...state, isUnlisted: true, round: context.clock() }) };
      }
      return offer({ ...given, endpoint }, state, context);
    },
  }),
});

async function offer(
  { endpoint, key, move }: Values & { readonly endpoint: string },
  state: ConnectionState,
  { actor, clock, services: { connections, commands, slashCommand } }: FormContext,
): Promise<FormAnswer> {
  const refuse = (error: string, input: 'key' | 'endpoint' = 'key'): FormAnswer => {
    const form = connectModal({ ...state, chosen: endpoint, round: clock() });
    return { kind: 'errors', errors: { [input]: error }, form };
  };
  const mayMove = move?.includes(moveValue) ?? false;
  const offered = await connections.connectionOf(actor).connect({ endpoint, apiKey: key, mayMove });
  switch (offered.kind) {
    case 'refused':
      return refuse(
        refusedText(offered.error, key),
        // A single endpoint has no input to show an error at.
        isAboutService(offered.error) && state.endpoints.length > 1 ? 'endpoint' : 'key',
      );
    case 'closed':
      return refuse(closedText(offered.organization));
    case 'other': {
      const { organization, bound } = offered;
      return refuse(
        otherText({ to: organization.displayName, from: bound.organizationName, hasBox: move !== undefined }),
      );
    }
    case 'connected':
      return { kind: 'view', view: connectedModal({ ...offered, next: nextLines(commands, slashCommand) }) };
  }
}

/** Suggests next commands, `digest` first, of those that exist. */
function nextLines(commands: readonly AnyCommand[], slashCommand: string): readonly string[] {
  const words = ['digest', 'list', 'status', 'failures'];
  const known = words.flatMap((word) => commands.find(({ name }) => name === word) ?? []);
  return known.slice(0, 3).map(({ name, usage }) => {
    const [needed = ''] = /^<[^>]+>/.exec(usage) ?? [];
    return `${slashCommand} ${name} ${needed}`.trim();
  });
}
