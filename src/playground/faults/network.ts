/** The network between Slack and the bot. While it is cut, nothing arrives on either side, and no connection is closed. */
export type Network = {
  readonly isCut: () => boolean;
  readonly cut: () => void;
  /** What was under way arrives now. */
  readonly restore: () => void;
  /** Resolves when a message gets through; rejects with the signal's reason. */
  readonly passes: (signal: AbortSignal) => Promise<void>;
  /** Called at each cut and each restoration. */
  readonly watchers: Set<() => void>;
};

export function createNetwork(): Network {
  const watchers = new Set<() => void>();
  let whole: PromiseWithResolvers<void> | undefined;
  const notify = (): void => {
    for (const watcher of watchers) watcher();
  };
  return {
    isCut: () => whole !== undefined,
    cut() {
      if (whole !== undefined) return;
      whole = Promise.withResolvers();
      notify();
    },
    restore() {
      if (whole === undefined) return;
      whole.resolve();
      whole = undefined;
      notify();
    },
    async passes(signal) {
      if (whole === undefined) return;
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = (): void => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
      await Promise.race([whole.promise, promise]).finally(() => signal.removeEventListener("abort", abort));
    },
    watchers,
  };
}
