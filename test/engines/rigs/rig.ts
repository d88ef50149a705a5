/** What an engine's tests run on: brought up for them, and taken down at the end. */
export type Rig = {
  /** Resolves to how tests reach it. */
  readonly up: () => Promise<string>;
  /** Synchronous, so that it also runs while the process exits. Does nothing if nothing was brought up. */
  readonly down: () => void;
};
