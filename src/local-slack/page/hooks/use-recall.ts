/** ↑ and ↓ in an empty composer walk through what was sent. */
import { useState } from 'preact/hooks';

type Recall = {
  /** @returns whether the key was meant for it */
  readonly handles: (event: KeyboardEvent) => boolean;
  readonly reset: () => void;
};

/** @param sent oldest first */
export function useRecall(text: string, sent: readonly string[], write: (text: string) => void): Recall {
  const [back, setBack] = useState(0);
  const recalled = back === 0 ? '' : (sent[sent.length - back] ?? '');
  const handles = ({ key, shiftKey }: KeyboardEvent) => {
    if (shiftKey || (key !== 'ArrowUp' && key !== 'ArrowDown') || text !== recalled) return false;
    const next = Math.min(sent.length, Math.max(0, back + (key === 'ArrowUp' ? 1 : -1)));
    if (next === back) return false;
    setBack(next);
    write(next === 0 ? '' : (sent[sent.length - next] ?? ''));
    return true;
  };
  return { handles, reset: () => setBack(0) };
}
