/** The app that the workspaces install, as its manifest describes it. */
export type AppIdentity = {
  readonly id: string;
  readonly name: string;
  /** With its slash. */
  readonly slashCommand: string;
  /** The manifest's `home_tab_enabled`. */
  readonly hasHome: boolean;
  /** The old verification token that every payload still carries. */
  readonly verificationToken: string;
};
