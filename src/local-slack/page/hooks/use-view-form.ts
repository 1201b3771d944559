/** The form state of one view: keeps entered values until they are submitted. */
import { useRef, useState } from 'preact/hooks';
import type { Press, Scope } from '../blocks/scope.ts';
import { post } from '../client.ts';
import { pressKey } from '../model/model.ts';
import type { InputValues, PageView } from '../protocol.ts';
import { usePage } from './use-page.ts';

type ViewForm = {
  readonly scope: Scope;
  readonly submit: () => Promise<void>;
  readonly isSubmitting: boolean;
  /** An error of the view as a whole. */
  readonly problem: string | null;
};

export function useViewForm({ id: view, state }: PageView): ViewForm {
  const { model, viewer, press } = usePage();
  const entered = useRef<InputValues>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isSubmitting, setSubmitting] = useState(false);
  const target = () => ({ view, values: entered.current });

  const enter = ({ blockId, actionId, selected }: Press) => {
    entered.current = { ...entered.current, [blockId]: { ...entered.current[blockId], [actionId]: selected } };
    const { [blockId]: _, ...left } = errors;
    setErrors(left);
  };
  const submit = async () => {
    setSubmitting(true);
    setProblem(null);
    const result = await post('submit', { user: viewer.userId, ...target() });
    setSubmitting(false);
    setErrors(result.ok ? {} : (result.errors ?? {}));
    if (!result.ok && !result.errors) setProblem(result.error);
  };
  const scope: Scope = {
    viewer,
    press: async (pressed) => {
      enter(pressed);
      const result = await press(target(), pressed);
      setProblem(result.ok ? null : result.error);
    },
    suggest: (query) => post('suggest', { user: viewer.userId, ...target(), ...query }),
    isPending: (blockId, actionId) => model.pending.has(pressKey({ view, blockId, actionId })),
    isEdited: false,
    form: { stateOf: (blockId, actionId) => state[blockId]?.[actionId], enter, errors },
  };
  return { scope, submit, isSubmitting, problem };
}
