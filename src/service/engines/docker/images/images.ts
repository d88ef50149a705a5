import type { Clock } from "../../../../platform/clock.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import type { FindCredentials } from "./credentials.ts";
import { referenceOf, type ImageReference } from "./image-reference.ts";
import { pullImage } from "./pull.ts";
import { PULL_LIMITS, type PullLimits } from "./pull-progress.ts";
import { orAborted } from "../../../../platform/waiting.ts";

/** Makes sure that the daemon has an image. */
export type Images = {
  /**
   * Resolves when the daemon has the image. Rejects with a clause about why it can't be pulled, with the signal's
   * reason, or with a `DaemonError` when the daemon is away.
   */
  readonly ready: (image: string, want: WantedImage) => Promise<void>;
};

type WantedImage = {
  /** Ask the registry even if the daemon has the image. */
  readonly pullAlways: boolean;
  readonly signal: AbortSignal;
  /** Tells the workload's user what is waited for. */
  readonly note: (line: string) => void;
};

type ImagesOptions = {
  readonly clock: Clock;
  readonly daemon: Pick<DaemonApi, "inspectImage" | "pullImage">;
  /** Whose `login` is named when credentials are missing. */
  readonly program: "docker" | "podman";
  readonly credentials: FindCredentials;
  readonly limits?: PullLimits | undefined;
};

export function makeImages({ limits = PULL_LIMITS, ...options }: ImagesOptions): Images {
  const join = makeSharedPulls((reference, pull) => pullImage(reference, { ...options, limits, ...pull }));
  const isThere = async (image: string) => (await options.daemon.inspectImage(image)) !== undefined;
  return {
    async ready(image, { pullAlways, signal, note }) {
      signal.throwIfAborted();
      const reference = referenceOf(image);
      if (!reference) throw new Error(`${image} isn't the name of an image`);
      if (!pullAlways && (await isThere(image))) return;
      note(`pulling the image ${image}`);
      const onProgress = (howFar: string): void => note(`still pulling the image ${image}: ${howFar}`);
      await join(reference, { isFresh: pullAlways, signal, onProgress });
      if (!(await isThere(image))) throw new Error(`the image ${image} was pulled, but has been removed since`);
    },
  };
}

/**
 * Callers who want the same image share a pull. Settles as the pull does, or rejects with the reason of the signal. A pull
 * that nobody waits for is cancelled.
 */
type JoinPull = (reference: ImageReference, joining: Joining) => Promise<void>;

type Joining = {
  /** Only a pull will do whose registry has not answered yet: the image may have been pushed again since. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (howFar: string) => void;
};

type BeginPull = (
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

function makeSharedPulls(begin: BeginPull): JoinPull {
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

  return async (reference, joining) => {
    const running = pulls.get(reference.full);
    const canShare = running && !running.cancel.signal.aborted && !(joining.isFresh && running.hasAnswered());
    await waitFor(canShare ? running : beginShared(reference), joining);
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
