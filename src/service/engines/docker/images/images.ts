import type { DaemonApi } from "../daemon/daemon-api.ts";
import type { FindCredentials } from "./credentials.ts";
import { referenceOf } from "./image-reference.ts";
import { pullImage } from "./pull.ts";
import { PULL_LIMITS, type PullLimits } from "./pull-watch.ts";
import { makeSharedPulls } from "./shared-pulls.ts";

/** Makes sure that the daemon has an image. */
export type Images = {
  /**
   * Resolves when the daemon has the image. Rejects with a clause about why it can't be pulled, with the signal's
   * reason, or with a `DaemonError` when the daemon is away.
   */
  readonly ready: (image: string, want: WantedImage) => Promise<void>;
};

export type WantedImage = {
  /** Ask the registry even if the daemon has the image. */
  readonly pullAlways: boolean;
  readonly signal: AbortSignal;
  /** Tells the workload's user what is waited for. */
  readonly note: (line: string) => void;
};

export type ImagesOptions = {
  readonly daemon: Pick<DaemonApi, "inspectImage" | "pullImage">;
  /** Whose `login` is named when credentials are missing. */
  readonly program: "docker" | "podman";
  readonly credentials: FindCredentials;
  readonly limits?: PullLimits | undefined;
};

export function makeImages({ limits = PULL_LIMITS, ...options }: ImagesOptions): Images {
  const pulls = makeSharedPulls((reference, pull) => pullImage(reference, { ...options, limits, ...pull }));
  const isThere = async (image: string) => (await options.daemon.inspectImage(image)) !== undefined;
  return {
    async ready(image, { pullAlways, signal, note }) {
      signal.throwIfAborted();
      const reference = referenceOf(image);
      if (!reference) throw new Error(`${image} isn't the name of an image`);
      if (!pullAlways && (await isThere(image))) return;
      note(`pulling the image ${image}`);
      const onProgress = (howFar: string): void => note(`still pulling the image ${image}: ${howFar}`);
      await pulls.join(reference, { isFresh: pullAlways, signal, onProgress });
      if (!(await isThere(image))) throw new Error(`the image ${image} was pulled, but has been removed since`);
    },
  };
}
