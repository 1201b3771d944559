/** Names for presses that wait for their answer. */

type PressPlace = { readonly channel: string; readonly ts: string } | { readonly view: string };
type Pressed = PressPlace & { readonly blockId: string; readonly actionId: string };

export function pressKey(pressed: Pressed): string {
  return `${pressPrefix(pressed)}${pressed.blockId}\n${pressed.actionId}`;
}

/** What the keys of all presses in one message or view begin with. */
export function pressPrefix(place: PressPlace): string {
  return 'view' in place ? `${place.view}\n` : `${place.channel}\n${place.ts}\n`;
}
