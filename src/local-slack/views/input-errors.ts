/** What Slack itself says under an input before it asks the app. */
import type { Found, State } from '../interactions/elements.ts';
import { type Fields, textField } from '../server/json.ts';

/** @returns by block id; empty when the app is to be asked */
export function inputErrors(elements: readonly Found[], state: State): Readonly<Record<string, string>> {
  const errors = elements.flatMap(({ block, blockId, element }) => {
    if (block['type'] !== 'input') return [];
    const told = state[blockId]?.[textField(element, 'action_id') ?? ''];
    const error = told && inputError(element, chosenIn(told), block['optional'] === true);
    return error === undefined ? [] : [[blockId, error] as const];
  });
  return Object.fromEntries(errors);
}

function chosenIn({ type: _, ...told }: Fields): unknown {
  return Object.values(told)[0];
}

function inputError(element: Fields, value: unknown, isOptional: boolean): string | undefined {
  const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return isOptional ? undefined : 'Please complete this required field.';
  if (Array.isArray(value)) return countError(element, value.length);
  return typeof value === 'string' ? (lengthError(element, value) ?? formatError(element, value)) : undefined;
}

function countError({ max_selected_items: max }: Fields, count: number): string | undefined {
  return typeof max === 'number' && count > max ? `Please choose no more than ${max}.` : undefined;
}

function lengthError({ min_length: min, max_length: max }: Fields, value: string): string | undefined {
  if (typeof min === 'number' && value.length < min) return `Please enter at least ${min} characters.`;
  return typeof max === 'number' && value.length > max ? `Please enter no more than ${max} characters.` : undefined;
}

function formatError(element: Fields, value: string): string | undefined {
  switch (element['type']) {
    case 'email_text_input':
      return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(value) ? undefined : 'Please enter a valid email address.';
    case 'url_text_input':
      return URL.canParse(value) ? undefined : 'Please enter a valid URL.';
    case 'number_input':
      return numberError(element, Number(value));
    default:
      return undefined;
  }
}

function numberError(element: Fields, value: number): string | undefined {
  const { min_value: min, max_value: max, is_decimal_allowed: isDecimal } = element;
  if (!Number.isFinite(value)) return 'Please enter a number.';
  if (isDecimal !== true && !Number.isInteger(value)) return 'Please enter a whole number.';
  if (min !== undefined && value < Number(min)) return `Please enter a number no less than ${min}.`;
  return max !== undefined && value > Number(max) ? `Please enter a number no greater than ${max}.` : undefined;
}
