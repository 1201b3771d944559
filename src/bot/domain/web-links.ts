/** Links to the platform's web page, made from the operator's templates. */

export type WebLinks = {
  /** @returns undefined if no link is configured */
  readonly workflow: (workflowUuid: string) => string | undefined;
  /** @param workflowUuid null if unknown @returns undefined if no link is configured or the template needs an unknown id */
  readonly execution: (executionUuid: string, workflowUuid: string | null) => string | undefined;
};

/** URL templates with the placeholders `{workflowUuid}` and `{executionUuid}`. */
export type WebLinkTemplates = { readonly workflow?: string | undefined; readonly execution?: string | undefined };

export function createWebLinks({ workflow, execution }: WebLinkTemplates = {}): WebLinks {
  return {
    workflow: (workflowUuid) => filled(workflow, { workflowUuid }),
    execution: (executionUuid, workflowUuid) => filled(execution, { executionUuid, workflowUuid }),
  };
}

function filled(
  template: string | undefined,
  ids: { readonly workflowUuid: string | null; readonly executionUuid?: string },
): string | undefined {
  let isWhole = true;
  const url = template?.replace(/\{(workflowUuid|executionUuid)\}/g, (_, name: keyof typeof ids) => {
    isWhole &&= ids[name] != null;
    return encodeURIComponent(ids[name] ?? '');
  });
  return isWhole ? url : undefined;
}
