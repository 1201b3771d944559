/** Failpoints: named points at which a test can end the process. */
export const failpoints = [
  'before plan',
  'after plan',
  'before claim',
  'after claim',
  'before build',
  'after build',
  'after payload',
  'before intent',
  'after intent',
  'before send',
  'after send',
  'after outcome',
  'before reconcile',
  'after history',
  'after reconcile',
  'before extend',
  'after extend',
  'before finish',
  'after finish',
  'after release',
  'before duplicate check',
  'after delete',
  'after duplicate check',
] as const;

export type Failpoint = (typeof failpoints)[number];

/** Called at each failpoint. Does nothing in production. */
export type OnFailpoint = (failpoint: Failpoint) => void;
