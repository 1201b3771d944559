/** Types of a command and of its answer: a command is data and a function from parsed arguments to an Answer. */
import { z } from 'zod';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { mapCooperatively } from '../../../shared/time/cooperative.ts';
import type { Connections } from '../../connection/connections.ts';
import type { Actor, Person } from '../../domain/person.ts';
import type { Need } from '../../domain/role.ts';
import type { Runtime } from '../../domain/runtime.ts';
import type { WebLinks } from '../../domain/web-links.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { AuditLog } from '../../store/audit-recorder.ts';
import type { Store } from '../../store/store.ts';
import { type Message, withLead } from '../../views/blocks/message.ts';
import type { Modal } from '../../views/blocks/modal.ts';
import type { Words } from '../../views/blocks/rich-text.ts';
import type { AccessControl, Members } from '../access/access-control.ts';
import type { Accepted } from './parse.ts';
import type { RunningOperations } from './running-operations.ts';

/** The readers of an answer until the person shares it. */
export type Visibility = 'ephemeral' | 'channel';

/** A file that is uploaded with a message. */
export type AnswerFile = {
  /** With its ending, such as `logs.txt`. */
  readonly name: string;
  readonly title: string;
  /** Alternative text of a picture. */
  readonly altText?: string;
  /** Called when the file is sent. If it fails, the message is sent without the file. */
  readonly content: () => Promise<Uint8Array>;
};

export type MessageAnswer = {
  readonly kind: 'message';
  readonly message: Message;
  readonly visibility: Visibility;
  readonly file?: AnswerFile | undefined;
  /** True if it contains log lines, which some channels may not show. */
  readonly hasLogs?: true;
  /** Set by the dispatcher if the message goes to the person's direct messages, whatever its visibility. */
  readonly isDirect?: true;
  /** Set by the dispatcher for an error message: it is not shared, and replaces nothing in a channel. */
  readonly isProblem?: true;
};

export type ThreadReply = {
  /** Identifies the reply within its thread when the thread is updated. */
  readonly name: string;
  readonly message: Message;
  readonly file?: AnswerFile | undefined;
  /** As in `MessageAnswer`. */
  readonly hasLogs?: true;
};

/** A one-line root message with details as replies; one thread per subject and channel. */
export type ThreadAnswer = {
  readonly kind: 'thread';
  /** The execution's uuid. A repeated request for the same subject links to the existing thread. */
  readonly subject: string;
  /** Names the subject after a noun, such as ` of payments, run 3f2a9c1b of 10:15 AM`. */
  readonly about: Words;
  /** The root message until all replies are posted. */
  readonly progress: Message;
  readonly root: Message;
  /** In order. */
  readonly replies: readonly ThreadReply[];
  /** True for a thread in the person's direct messages, wherever they asked. */
  readonly isPrivate: boolean;
  /** False while the subject may still change: a repeated request then updates the thread in place. */
  readonly isFinal: boolean;
  /** True while the execution runs: the thread is updated once it has ended. */
  readonly isRunning: boolean;
};

/** A modal. A submission goes to the form of the command that the modal names. */
type ModalAnswer = {
  readonly kind: 'modal';
  readonly view: Modal;
  /** Set by the dispatcher: the command line that opens it again, without dropped words. */
  readonly line?: string;
};

/** The result of a command; `slack/` delivers it. */
export type Answer = MessageAnswer | ThreadAnswer | ModalAnswer;

/** @param lead how the typed words were read, in front of the message @returns an answer that only the person who asked sees, until they share it */
export function ephemeral(message: Message, lead: Words = []): MessageAnswer {
  return { kind: 'message', message: withLead(message, lead), visibility: 'ephemeral' };
}

/** @param text in short pieces, made when the file is sent */
export function textFile(name: string, text: () => Iterable<string>): AnswerFile {
  const content = async () => Buffer.concat(await mapCooperatively(text(), (piece) => Buffer.from(piece)));
  return { name, title: name, content };
}

/** Services behind every answer, each under one name. */
export interface Services {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly access: AccessControl;
  readonly members: Members;
  readonly connections: Connections;
  readonly channels: ChannelCalls;
  readonly operations: RunningOperations;
  /** Starts the next round of deliveries at once, so that a requested digest does not wait for it. */
  readonly wakeOutbox: () => void;
  /** Renders a chart of src/bot/views/charts as PNG. @throws AppError `unavailable`: the text is sent alone */
  readonly drawPng: (svg: string) => Promise<Uint8Array>;
  /** Links to the platform's web page. */
  readonly webLinks: WebLinks;
  readonly commands: readonly AnyCommand[];
  /** Such as `/workflow`. */
  readonly slashCommand: string;
  /** The operator's support page. */
  readonly supportUrl?: string | undefined;
  /** For all that the query service is asked for one answer; `deadlineDefaultMs` if left out. */
  readonly answerWithinMs?: number | undefined;
}

/** Calls to Slack about a channel, for one person. Never rejects. */
export interface ChannelCalls {
  /** Shows the message to this person alone, where a digest would be posted. */
  readonly showIn: (person: Person, channelId: string, message: Message) => Promise<ShownIn>;
  /** @returns the address of a message; undefined if Slack does not return one */
  readonly linkTo: (person: Person, channelId: string, ts: string) => Promise<string | undefined>;
  /** @returns the reason code if the audience of the channel prevents posts; undefined if nothing does */
  readonly withheldIn: (person: Person, channelId: string) => Promise<string | undefined>;
}

/** `error`: Slack's error code. */
type ShownIn = { readonly kind: 'shown' | 'unknown' } | { readonly kind: 'refused'; readonly error: string };

export type CommandContext<Who extends Person = Actor> = {
  readonly actor: Who;
  readonly clock: Clock;
  /** The query client of this workspace. @throws AppError `unauthorized` if it has no key */
  readonly ask: () => QueryClient;
  /** The reader's IANA time zone; asks Slack the first time. */
  readonly zone: () => Promise<string>;
  /** Shows progress until the answer replaces it. Never waits, never fails, drops updates that come too fast. */
  readonly progress: (message: Message) => void;
  readonly services: Services;
};

/** A form is submitted outside of any channel. */
export type FormContext = CommandContext<Person>;

/** Sections of help, in this order. */
export const commandGroups = ['look', 'investigate', 'digests', 'setup'] as const;
export type CommandGroup = (typeof commandGroups)[number];

/** A word that chooses one of several actions of a command. */
type Subcommand = {
  /** With the command, such as `digest edit [channel]`. */
  readonly usage: string;
  /** One sentence without a full stop. */
  readonly summary: string;
};

/** Describes a command. Help, "did you mean", the README and the playground are generated from it. */
export type CommandDescription = {
  /** The word a person types; the folder's name. */
  readonly name: string;
  readonly group: CommandGroup;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** Every action, if the command has several; `help` explains each. */
  readonly subcommands?: readonly Subcommand[];
  /** The arguments after the word, such as `<name> [window]`; may be empty. */
  readonly usage: string;
  /** Command lines that work against the sample organization; a contract test runs each. */
  readonly examples: readonly [string, ...string[]];
  /** The role that may run it; `reader` if left out. */
  readonly needs?: Need;
  /** Handles the submission of its modal; only for a command whose answer is a modal. */
  readonly form?: AnyForm;
  /** True if these words open a modal, if only some do. */
  readonly opensModal?: (words: readonly string[]) => boolean;
};

type Command<Shape extends z.ZodRawShape> = CommandDescription & {
  /** One key for each argument: `text` the words, `window` a trailing window, any other a flag (see parse.ts). */
  readonly arguments: z.ZodObject<Shape>;
  readonly run: (parsed: z.output<z.ZodObject<Shape>>, context: CommandContext) => Promise<Answer>;
};

/** A command with its argument types hidden. */
export type AnyCommand = CommandDescription & {
  readonly accepts: Accepted;
  /** @throws AppError `usage`, or an error of the query client */
  readonly runWith: (raw: unknown, context: CommandContext) => Promise<Answer>;
};

/** Declares a command, and hides its argument types: `runWith` validates raw arguments and passes them to `run`. */
export function defineCommand<Shape extends z.ZodRawShape>(command: Command<Shape>): AnyCommand {
  const { arguments: schema, run, ...description } = command;
  return {
    ...description,
    accepts: new Map(Object.entries(schema.shape).map(([key, type]) => [key, isSwitch(type) ? 'switch' : 'value'])),
    runWith: async (raw, context) => {
      const parsed = schema.safeParse(raw);
      if (parsed.success) return run(parsed.data, context);
      const [issue] = parsed.error.issues;
      throw new AppError('usage', issue?.message ?? 'The arguments could not be read.');
    },
  };
}

const isSwitch = (type: z.core.$ZodType) =>
  z.core.safeParse(type, true).success && !z.core.safeParse(type, '1').success;

/** Submitted values by input id; empty inputs are missing. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

export type FormAnswer =
  /** `form` replaces the modal if Slack can no longer show errors beside inputs. It contains no secret. */
  | { readonly kind: 'errors'; readonly errors: FormErrors; readonly form: Modal }
  | { readonly kind: 'view'; readonly view: Modal }
  /** Opens over the form, and closing it leads back. If the trigger has expired, it replaces the form. */
  | { readonly kind: 'next'; readonly view: Modal }
  /** Only the person who submitted sees the message. */
  | { readonly kind: 'close'; readonly message?: Message };

/** Error sentences by input id. They never repeat what was typed. */
export type FormErrors = Readonly<Record<string, string>>;

/** A form with its value types hidden. */
type AnyForm = {
  /** @returns the errors of the values, or a function that submits them; it throws AppError for a problem that belongs to no input */
  readonly read: (
    values: FormValues,
  ) => { readonly errors: FormErrors } | { readonly submit: (context: FormContext) => Promise<FormAnswer> };
};

/** @returns an error for a form of another version of the bot */
export function otherVersionError(): AppError {
  return new AppError('usage', 'This form is from another version of the bot. Type the command again.');
}

/** Declares a form and hides its value types. */
export function defineForm<Values extends z.ZodType>(form: {
  /** One key per input id; one object for each view if the command has several. */
  readonly values: Values;
  readonly submit: (values: z.output<Values>, context: FormContext) => Promise<FormAnswer>;
}): AnyForm {
  return {
    read: (values) => {
      const parsed = form.values.safeParse(values);
      if (parsed.success) return { submit: (context) => form.submit(parsed.data, context) };
      const errors = parsed.error.issues.map(({ path, message }) => [String(path[0]), message] as const);
      return { errors: Object.fromEntries(errors.toReversed()) };
    },
  };
}
