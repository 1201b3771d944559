/** What a command's usage says of its words. */
import type { Need } from '../../domain/role.ts';

type Described = { readonly usage: string; readonly needs?: Need };

/** @returns whether a workflow may be named in them, by its name or as the workflow of an execution */
export function takesWorkflow({ usage }: Described): boolean {
  return /^[<[][^>\]]*\b(?:name|workflow)\b/.test(usage);
}

/** @returns whether there is an answer without any */
export function worksAlone({ usage }: Described): boolean {
  return !usage.startsWith('<');
}

/** @returns who it is for, after its summary; nothing where everybody may run it */
export function forWhom({ needs = 'reader' }: Pick<Described, 'needs'>): string {
  return needs === 'reader' ? '' : ` (for ${needs}s)`;
}
