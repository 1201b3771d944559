/** The form state of one view: keeps entered values until they are submitted. */
import { useRef, useState } from 'preact/hooks';
import type { Press, Scope } from '../blocks/scope.ts';
import { post } from '../client.ts';
import { pressKey } from '../model/model.ts';
import type { Viewer } from '../model/viewer.ts';
import type { InputValues, PageView } from '../protocol.ts';
import type { Session } from './use-session.ts';

type ViewForm = {
  readonly scope: Scope;
  readonly submit: () => void;
  readonly isSubmitting: boolean;
  /** An error of the view as a whole. */
  readonly problem: string | null;
};

export function useViewForm(view: PageView, { model, dispatch }: Session, viewer: Viewer): ViewForm {
  const entered = useRef<InputValues>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isSubmitting, setSubmitting] = useState(false);
  const user = viewer.userId;

  const enter = ({ blockId, actionId, selected }: Press) => {
    entered.current = { ...entered.current, [blockId]: { ...entered.current[blockId], [actionId]: selected } };
    const { [blockId]: _, ...left } = errors;
    setErrors(left);
  };
  const press = async (pressed: Press) => {
    enter(pressed);
    const key = pressKey({ view: view.id, ...pressed });
    dispatch({ type: 'pending', key, isPending: true });
    const result = await post('action', { user, view: view.id, values: entered.current, ...pressed });
    dispatch({ type: 'pending', key, isPending: false });
    setProblem(result.ok ? null : result.error);
  };
  const submit = async () => {
    setSubmitting(true);
    setProblem(null);
    const result = await post('submit', { user, view: view.id, values: entered.current });
    setSubmitting(false);
    setErrors(result.ok ? {} : (result.errors ?? {}));
    if (!result.ok && !result.errors) setProblem(result.error);
  };
  const scope: Scope = {
    viewer,
    press: (pressed) => void press(pressed),
    suggest: (query) => post('suggest', { user, view: view.id, values: entered.current, ...query }),
    isPending: (blockId, actionId) => model.pending.has(pressKey({ view: view.id, blockId, actionId })),
    isEdited: false,
    form: { stateOf: (blockId, actionId) => view.state[blockId]?.[actionId], enter, errors },
  };
  return { scope, submit: () => void submit(), isSubmitting, problem };
}
