/** What each file of this folder measures: `measure` returns one table of rates. */
export type TruthSection = {
  readonly title: string;
  readonly head: readonly string[];
  /** Seeds are fixed: every run gives the same rows. */
  readonly rows: readonly (readonly (string | number)[])[];
};
