/** What a command's modal submits: read by a schema, answered with errors, another view, or by closing. */
import type { z } from 'zod';
import type { Message } from '../views/kit/message.ts';
import type { Modal } from '../views/kit/modal.ts';
import type { CommandContext, Person } from './command.ts';

/** What was filled in, by the id of each input; what was left empty is not there. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

export type FormAnswer =
  /** `form` is what the person goes on with where Slack shows no errors beside inputs any more: without any secret. */
  | { readonly kind: 'errors'; readonly errors: FormErrors; readonly form: Modal }
  | { readonly kind: 'view'; readonly view: Modal }
  /** Over the form, to which closing it leads back; in its place where the person has waited too long for that. */
  | { readonly kind: 'next'; readonly view: Modal }
  /** The message is for the person who submitted, and for nobody else. */
  | { readonly kind: 'close'; readonly message?: Message };

/** What is wrong, in a sentence, by the id of the input. It never repeats what was typed. */
export type FormErrors = Readonly<Record<string, string>>;

/** As for a command line, but a form is submitted in no channel. */
export type FormContext = Omit<CommandContext, 'actor' | 'progress' | 'underWay'> & { readonly actor: Person };

type Form<Values extends z.ZodType> = {
  /** One key an input, named as its id; one object for each of several views that a command has. */
  readonly values: Values;
  readonly submit: (values: z.output<Values>, context: FormContext) => Promise<FormAnswer>;
};

/** A form whose values are known only to itself. */
export type AnyForm = {
  /** @returns what is wrong with the values, or how to submit them */
  readonly read: (values: FormValues) => { readonly errors: FormErrors } | { readonly submit: SubmitForm };
};

/** @throws AppError where there is neither an error to show beside an input nor a view */
export type SubmitForm = (context: FormContext) => Promise<FormAnswer>;

/** Declares a form, with its values' types closed in. */
export function defineForm<Values extends z.ZodType>({ values: schema, submit }: Form<Values>): AnyForm {
  return {
    read: (values) => {
      const parsed = schema.safeParse(values);
      if (parsed.success) return { submit: (context) => submit(parsed.data, context) };
      const errors = parsed.error.issues.map(({ path, message }) => [String(path[0]), message] as const);
      return { errors: Object.fromEntries(errors.toReversed()) };
    },
  };
}
