/** Answers a line whose id belongs to something else than its command takes, such as `status` with the id of a run. */
import { AppError } from '../../../shared/errors.ts';
import { isIdLike, parseReference } from '../../domain/reference.ts';
import { plainWord } from '../../domain/window-words.ts';
import type { QueryClient } from '../../query/query-client.ts';
import { withLead } from '../../views/blocks/message.ts';
import { type IdOwner, otherIdWords } from '../../views/notices/pick.ts';
import type { Answer, AnyCommand, CommandContext } from '../framework/command.ts';
import { type ParsedLine, readArguments } from '../framework/parse.ts';
import { findDeployment, workflowOfDeployment } from './find-deployment.ts';
import { hasIdPrefix } from './find-workflow.ts';

/** `command`: undefined for a line of an id alone. */
type TypedLine = ParsedLine & { readonly command: AnyCommand | undefined };

/** The kind of an id may be typed before it. */
const nouns = ['run', 'execution', 'deployment', 'workflow', 'id'];

/**
 * @param error of the command, thrown again if the line has no id or nothing has it
 * @returns the answer for the workflow of the id; for a command about one run, the deployment of the id
 */
export async function answerOtherId(error: unknown, line: TypedLine, context: CommandContext): Promise<Answer> {
  const { command } = line;
  const words = (command ? line.words : [line.word, ...line.words]).map(plainWord);
  const at = words.findIndex(isIdLike);
  const [id] = words.slice(at < 0 ? words.length : at);
  if (!(error instanceof AppError) || error.code !== 'not_found' || id === undefined) throw error;
  const owner = await findOwner(id, context.ask()).catch(() => null);
  if (owner === null) throw error;
  const { kind, workflow } = owner;
  const isDeployment = kind === 'deployment' && (!command || ['execution', 'logs', 'timeline'].includes(command.name));
  const name = isDeployment ? 'deployment' : (command?.name ?? 'status');
  const meant = context.services.commands.find((each) => each.name === name);
  const taken = isDeployment ? owner.uuid : name === 'list' ? workflow.name : workflow.uuid;
  if (meant === undefined || (command && !isDeployment && taken === id)) throw error;
  const isNoun = nouns.includes(words[at - 1]?.toLowerCase() ?? '');
  const others = words.filter((_, index) => index !== at && !(isNoun && index === at - 1));
  const answer = await meant.runWith(
    readArguments([taken, ...others], isDeployment ? ['text'] : meant.accepts),
    context,
  );
  if (answer.kind !== 'message' || command === undefined) return answer;
  return { ...answer, message: withLead(answer.message, otherIdWords(id, owner)) };
}

/** @returns null if nothing has the id, or several have its beginning */
async function findOwner(typed: string, ask: QueryClient): Promise<IdOwner | null> {
  const reference = parseReference(typed);
  const prefix = reference.kind === 'short' ? reference.prefix : null;
  const runs = prefix === null ? [] : (await ask.executionsByPrefix(prefix)).data.found.map(({ uuid }) => uuid);
  const [only, second] = reference.kind === 'uuid' ? [reference.uuid] : runs;
  const run = only && !second ? (await ask.execution(only)).data?.execution : undefined;
  if (run?.workflowUuid) {
    const { uuid, workflowUuid, workflowName } = run;
    return { kind: 'run', uuid, workflow: { uuid: workflowUuid, name: workflowName } };
  }
  const { data: workflows } = await ask.allWorkflows();
  const [workflow, another] = workflows.filter((each) => hasIdPrefix(each, prefix ?? typed.toLowerCase()));
  if (workflow) return another ? null : { kind: 'workflow', uuid: workflow.uuid, workflow };
  const uuid = reference.kind === 'uuid' ? reference.uuid : await findDeployment(typed, ask);
  const owner = uuid === null ? null : (await workflowOfDeployment(uuid, ask)).data;
  return uuid === null || owner === null ? null : { kind: 'deployment', uuid, workflow: owner };
}
