import { orAborted } from "../../../../platform/waiting.ts";
import type { ImageReference } from "./image-reference.ts";

/** The pulls that are going on. Callers who want the same image share one. */
export type SharedPulls = {
  /** Settles as the pull does, or rejects with the reason of the signal. A pull that nobody waits for is cancelled. */
  readonly join: (reference: ImageReference, joining: Joining) => Promise<void>;
};

export type Joining = {
  /** Only a pull will do whose registry has not answered yet: the image may have been pushed again since. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (howFar: string) => void;
};

export type BeginPull = (
  reference: ImageReference,
  pull: {
    readonly signal: AbortSignal;
    readonly onAnswer: () => void;
    readonly onProgress: (howFar: string) => void;
  },
) => Promise<void>;

type SharedPull = {
  readonly over: Promise<void>;
  readonly cancel: AbortController;
  readonly waiting: Set<Joining>;
  readonly hasAnswered: () => boolean;
};

export function makeSharedPulls(begin: BeginPull): SharedPulls {
  const pulls = new Map<string, SharedPull>();

  function beginShared(reference: ImageReference): SharedPull {
    const cancel = new AbortController();
    const waiting = new Set<Joining>();
    let hasAnswered = false;
    const over = begin(reference, {
      signal: cancel.signal,
      onAnswer: () => (hasAnswered = true),
      onProgress(howFar) {
        for (const { onProgress } of waiting) onProgress(howFar);
      },
    }).finally(() => {
      if (pulls.get(reference.full) === shared) pulls.delete(reference.full);
    });
    over.catch(() => undefined); // there may be nobody left to see it
    const shared: SharedPull = { over, cancel, waiting, hasAnswered: () => hasAnswered };
    pulls.set(reference.full, shared);
    return shared;
  }

  return {
    async join(reference, joining) {
      const running = pulls.get(reference.full);
      const canShare = running && !running.cancel.signal.aborted && !(joining.isFresh && running.hasAnswered());
      await waitFor(canShare ? running : beginShared(reference), joining);
    },
  };
}

async function waitFor({ over, cancel, waiting }: SharedPull, joining: Joining): Promise<void> {
  waiting.add(joining);
  try {
    await orAborted(over, joining.signal);
  } finally {
    waiting.delete(joining);
    if (waiting.size === 0) cancel.abort();
  }
}
