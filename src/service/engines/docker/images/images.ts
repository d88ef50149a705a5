import type { Clock } from "../../../../platform/clock.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import { type FindCredentials, type Credentials, referenceOf, type ImageReference, HUB } from "./registry.ts";
import { PULL_LIMITS, type PullLimits, watchPull } from "./pull-progress.ts";
import { orAborted } from "../../../../platform/waiting.ts";
import { DaemonError } from "../daemon/daemon-answers.ts";
import { titles } from "../descriptor.ts";
import { Away } from "../../../workloads/runtime.ts";

export type Images = ReturnType<typeof makeImages>;

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

/** Makes sure that the daemon has an image. */
export function makeImages({ limits = PULL_LIMITS, ...options }: ImagesOptions) {
  const join = makeSharedPulls((reference, pull) => pullImage(reference, { ...options, limits, ...pull }));
  const isThere = async (image: string) => (await options.daemon.inspectImage(image)) !== undefined;
  return {
    /**
     * Resolves when the daemon has the image. Rejects with a clause about why it can't be pulled, with the signal's
     * reason, or with a `DaemonError` when the daemon is away.
     */
    async ready(image: string, { pullAlways, signal, note }: WantedImage): Promise<void> {
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

type Joining = {
  /** Only a pull will do whose registry has not answered yet: the image may have been pushed again since. */
  readonly isFresh: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (howFar: string) => void;
};

type BeginPull = (
  reference: ImageReference,
  pull: Pick<Pulling, "signal" | "onAnswer" | "onProgress">,
) => Promise<void>;

type SharedPull = {
  readonly over: Promise<void>;
  readonly cancel: AbortController;
  readonly waiting: Set<Joining>;
  readonly hasAnswered: () => boolean;
};

/**
 * Callers who want the same image share a pull. Settles as the pull does, or rejects with the reason of the signal. A pull
 * that nobody waits for is cancelled.
 */
function makeSharedPulls(begin: BeginPull) {
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

  return async (reference: ImageReference, joining: Joining): Promise<void> => {
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

type Pulling = {
  readonly clock: Clock;
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
  const { clock, daemon, program, limits, onAnswer, onProgress } = pulling;
  const credentials = await pulling.credentials(reference);
  const place = { ...reference, program, credentials };
  const watch = watchPull(limits, clock, onProgress);
  const signal = AbortSignal.any([pulling.signal, watch.signal]);
  try {
    for await (const line of daemon.pullImage(reference.full, { auth: credentials?.header, signal })) {
      if (line.error !== undefined) throw pullFailure(line.error, place);
      onAnswer();
      watch.take(line);
    }
  } catch (error) {
    const why = watch.whyGivenUp();
    if (why !== undefined) throw new Away(`${named(reference.registry)} ${why}`, { cause: error });
    // Docker answers with a status while it has sent nothing yet, and writes the error into its answer later. A status is
    // about the image, because nothing else was asked for; without one, or with 503, the daemon itself is away.
    const isOfRegistry = error instanceof DaemonError && error.status !== undefined && error.status !== 503;
    if (isOfRegistry) throw pullFailure(error.message, place);
    throw error;
  } finally {
    watch.end();
  }
}

type PullPlace = ImageReference & {
  /** Whose `login` writes the credentials. */
  readonly program: "docker" | "podman";
  /** What the machine had for the registry. */
  readonly credentials: Credentials | undefined;
};

type Kind = {
  /** In the words of Docker or Podman; the first that fits. */
  readonly sign: RegExp;
  readonly say: (place: PullPlace, text: string) => string;
  /** The registry is away, which says nothing about the image. */
  readonly isAway?: true;
};

const kinds: readonly Kind[] = [
  {
    sign: /toomanyrequests|too many requests|\b429\b/iu,
    say: ({ registry }) => `${named(registry)} allows no more pulls for now (rate limit)`,
    isAway: true,
  },
  { sign: /no basic auth|unauthorized|authentication required|incorrect username or password/iu, say: notLetIn },
  { sign: /\bdenied\b|forbidden/iu, say: denied },
  {
    sign: /no matching manifest|no image found in|no match for platform/iu,
    say: ({ full }) => `the image ${full} doesn't exist for this machine's platform`,
  },
  {
    sign: /manifest unknown|name unknown|not found|does not exist/iu,
    say: ({ full }) => `there is no image ${full}`,
  },
  {
    sign: /HTTP response to HTTPS client/iu,
    say: ({ registry, program }) =>
      `${named(registry)} has no TLS: use it as an insecure registry of ${titles[program]}`,
  },
  {
    sign: /x509|certificate/iu,
    say: ({ registry }, text) => `the certificate of ${named(registry)} isn't trusted (${causeIn(text)})`,
  },
  { sign: /no space left/iu, say: ({ full }) => `the machine's disk is too full for the image ${full}` },
  {
    sign: /dial |no such host|i\/o timeout|Client\.Timeout|unreachable|connection re(?:fused|set)|\bEOF\b/iu,
    say: ({ registry, full }, text) => `${named(registry)} can't be reached for ${full} (${causeIn(text)})`,
    isAway: true,
  },
  {
    sign: /\b50[0-4]\b/u,
    say: ({ registry }, text) => `${named(registry)} has an error (${/\b50[0-4]\b/u.exec(text)?.[0]})`,
    isAway: true,
  },
];

/** Why an image couldn't be pulled, as a clause: what a person can do about it, not what the daemon was doing. */
export function pullFailure(text: string, place: PullPlace): Error {
  const kind = kinds.find(({ sign }) => sign.test(text));
  const why = kind?.say(place, text) ?? `the image ${place.full} couldn't be pulled: ${shortened(text)}`;
  return kind?.isAway ? new Away(why, { cause: text }) : new Error(why, { cause: text });
}

/** A registry as the subject of a clause. */
function named(registry: string): string {
  return registry === HUB ? "Docker Hub" : `the registry ${registry}`;
}

function notLetIn(place: PullPlace): string {
  const { registry, credentials } = place;
  if (credentials?.problem !== undefined) {
    return `${named(registry)} wants credentials, and the machine's can't be read: ${credentials.problem}`;
  }
  return credentials?.header === undefined
    ? `${named(registry)} wants credentials: ${login(place)}`
    : `${named(registry)} refused the machine's credentials: ${login(place)}`;
}

/** Registries also answer this when the image doesn't exist, so that strangers learn nothing. */
function denied(place: PullPlace): string {
  const { full, credentials } = place;
  return credentials?.header === undefined
    ? `there is no public image ${full}: check its name, or ${login(place)}`
    : `the machine's account may not pull ${full}, or there is no such image`;
}

function login({ program, registry }: PullPlace): string {
  return `run "${program} login${registry === HUB ? "" : ` ${registry}`}" on the machine`;
}

/** A Go program puts the cause last. */
function causeIn(text: string): string {
  if (text.includes("Client.Timeout")) return "it didn't answer in time";
  return shortened(text.split(": ").at(-1) ?? text);
}

const MOST = 200;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
}
