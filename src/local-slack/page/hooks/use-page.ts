/** Context that every component of the page shares: the session, the loaded state, and the person for whom it is drawn. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Viewer } from '../model/viewer.ts';
import type { PageState } from '../protocol.ts';
import type { Session } from './use-session.ts';

export type Page = Session & {
  readonly state: PageState;
  readonly viewer: Viewer;
};

export const PageContext = createContext<Page | null>(null);

/** @throws Error outside of the loaded page */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('The page is not loaded.');
  return page;
}
