/** What ties an input to its label, its hint and its error. */
import type { InputFrame } from '../blocks/scope.ts';

/** @param own the id that the element has anyway; its content is then read after the label */
export function frameAttributes(frame: InputFrame | null, own?: 'and its content') {
  if (!frame) return {};
  return {
    id: frame.inputId,
    'aria-labelledby': own ? `${frame.labelId} ${frame.inputId}` : frame.labelId,
    'aria-describedby': frame.describedBy,
    'aria-invalid': frame.isInvalid ? 'true' : undefined,
  };
}
