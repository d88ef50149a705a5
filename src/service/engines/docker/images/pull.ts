import type { DaemonApi } from "../daemon/daemon-api.ts";
import { DaemonError } from "../daemon/daemon-error.ts";
import type { FindCredentials } from "./credentials.ts";
import type { ImageReference } from "./image-reference.ts";
import { named, pullFailure, type PullPlace } from "./pull-failure.ts";
import { type PullLimits, watchPull } from "./pull-watch.ts";

export type Pulling = {
  readonly daemon: Pick<DaemonApi, "pullImage">;
  readonly program: PullPlace["program"];
  readonly credentials: FindCredentials;
  readonly limits: PullLimits;
  readonly signal: AbortSignal;
  /** Called once the registry has answered. */
  readonly onAnswer: () => void;
  /** Called now and then with how far the pull is. */
  readonly onProgress: (howFar: string) => void;
};

/** Pulls an image. Rejects with a clause about why it couldn't; the daemon's own trouble stays a `DaemonError`. */
export async function pullImage(reference: ImageReference, pulling: Pulling): Promise<void> {
  const { daemon, program, limits, onAnswer, onProgress } = pulling;
  const credentials = await pulling.credentials(reference);
  const place = { ...reference, program, credentials };
  const watch = watchPull(limits, onProgress);
  const signal = AbortSignal.any([pulling.signal, watch.signal]);
  try {
    for await (const line of daemon.pullImage(reference.full, { auth: credentials?.header, signal })) {
      if (line.error !== undefined) throw pullFailure(line.error, place);
      onAnswer();
      watch.take(line);
    }
  } catch (error) {
    const why = watch.whyGivenUp();
    if (why !== undefined) throw new Error(`${named(reference.registry)} ${why}`, { cause: error });
    // Docker answers with a status while it has sent nothing yet, and writes the error into its answer later.
    if (error instanceof DaemonError && isOfRegistry(error)) throw pullFailure(error.message, place);
    throw error;
  } finally {
    watch.end();
  }
}

/** A status is about the image, nothing else was asked for. Without one the daemon itself is away. */
function isOfRegistry({ status }: DaemonError): boolean {
  return status !== undefined && status !== 503;
}
