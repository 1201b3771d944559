/** What a command's usage says of its words. */

type Described = { readonly usage: string };

/** @returns whether a workflow may be named in them, by its name or as the workflow of an execution */
export function takesWorkflow({ usage }: Described): boolean {
  return /^[<[][^>\]]*\b(?:name|workflow)\b/.test(usage);
}

/** @returns whether there is an answer without any */
export function worksAlone({ usage }: Described): boolean {
  return !usage.startsWith('<');
}
