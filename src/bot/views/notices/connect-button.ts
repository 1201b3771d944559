/** The way out where a workspace has no key that works. */
import { commandButton } from '../blocks/command-button.ts';

/** Opens the form in which an admin gives a key. */
export function connectButton() {
  return commandButton({ label: 'Connect', line: 'connect', mode: 'open', style: 'primary' });
}
