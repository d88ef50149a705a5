/** Why a workload isn't well: a class, never the text of a message. */
export const causes = [
  "image",
  "settings",
  "volume",
  "unschedulable",
  "quota",
  "out-of-memory",
  "probe",
  "crash-loop",
  "stuck",
  "failing",
  "job-failed",
] as const; // literal words
export type Cause = (typeof causes)[number];

type Words = {
  /** After the name of a workload: "can't pull its image". */
  readonly one: string;
  /** After several. */
  readonly several: string;
  /** After "It", once it is over. */
  readonly was: string;
};

/** The only words for a cause. */
export const causeWords: Readonly<Record<Cause, Words>> = {
  image: { one: "can't pull its image", several: "can't pull their images", was: "couldn't pull its image" },
  settings: {
    one: "can't start with its settings",
    several: "can't start with their settings",
    was: "couldn't start with its settings",
  },
  volume: { one: "can't mount a volume", several: "can't mount a volume", was: "couldn't mount a volume" },
  unschedulable: { one: "fits on no node", several: "fit on no node", was: "fitted on no node" },
  quota: {
    one: "can't create its instances",
    several: "can't create their instances",
    was: "couldn't create its instances",
  },
  "out-of-memory": { one: "runs out of memory", several: "run out of memory", was: "ran out of memory" },
  probe: { one: "fails its health check", several: "fail their health checks", was: "failed its health check" },
  "crash-loop": { one: "keeps crashing", several: "keep crashing", was: "kept crashing" },
  stuck: { one: "doesn't get ready", several: "don't get ready", was: "didn't get ready" },
  failing: { one: "is failing", several: "are failing", was: "was failing" },
  "job-failed": { one: "failed", several: "failed", was: "failed" },
};

// Words of Kubernetes, of Docker and of our own engines. A text only names the class; whether it is unwell says its status.
const IMAGE =
  /ImagePull|ErrImage|InvalidImageName|ImageInspectError|pull access denied|may not pull|wants credentials|refused the machine's credentials|manifest unknown|(?:can't|couldn't|cannot|could not|failed to|unable to|back-?off) (?:pull|find|get)\w* (?:the |its )?image|no such image|image\b.*\b(?:not found|doesn't exist|unknown|(?:couldn't|can't) be pulled)|there is no (?:public )?image\b/iu;
/** The registry doesn't answer, which says nothing about the image. */
const REGISTRY_AWAY =
  /RegistryUnavailable|waiting for the registry|(?:the registry \S+|Docker Hub) (?:can't be reached|has an error|didn't answer|allows no more pulls)/iu;
const SETTINGS = /CreateContainerConfigError|CreateContainerError/u;
const VOLUME = /FailedMount|FailedAttachVolume|FailedMapVolume/u;
const UNSCHEDULABLE =
  /unschedulable|FailedScheduling|nodes are available|insufficient (?:cpu|memory|ephemeral)|no node|didn't match Pod's node/iu;
const QUOTA = /can't create its instances|FailedCreate\b|exceeded quota/iu;
const OUT_OF_MEMORY = /\bOOM|out of memory/iu;
const PROBE = /\bprobe\b|unhealthy|health check/iu;
const CRASH_LOOP = /Crash_?Loop|back-?off restarting|restarting failed container/iu;

const beforeStart = [
  ["image", REGISTRY_AWAY],
  ["image", IMAGE],
  ["settings", SETTINGS],
  ["volume", VOLUME],
  ["unschedulable", UNSCHEDULABLE],
  ["quota", QUOTA],
] as const; // pairs of literal words

/** Whether instances with it don't start, so that they log nothing. Pure. */
export function isBeforeStart(cause: Cause): boolean {
  return beforeStart.some(([each]) => each === cause);
}

/** Why instances don't start, as a text says it. Pure. */
export function startCause(text: string): (typeof beforeStart)[number][0] | undefined {
  return beforeStart.find(([, sign]) => sign.test(text))?.[0];
}

/** Whether the cause may go away by itself: an autoscaler adds a node, a registry comes back. Pure. */
export function mayPass(cause: Cause, text: string): boolean {
  return cause === "unschedulable" || (cause === "image" && REGISTRY_AWAY.test(text));
}

/** Why instances end, as a text says it. Pure. */
export function endCause(text: string): "out-of-memory" | "probe" | undefined {
  if (OUT_OF_MEMORY.test(text)) return "out-of-memory";
  return PROBE.test(text) ? "probe" : undefined;
}

export function isCrashLoop(text: string): boolean {
  return CRASH_LOOP.test(text);
}

/** Characters of a text that are read: it comes from outside. */
const LONGEST = 2_000;

/**
 * Texts about a workload as one, without the names of its instances: "probe-0 exited" says nothing about a probe. The
 * workload's own name is removed only after a quote, `=` or `/`, because elsewhere it may be an ordinary word.
 */
export function textAbout(name: string, texts: readonly (string | undefined)[]): string {
  const text = texts.flatMap((each) => each?.slice(0, LONGEST) ?? []).join(" ");
  return text.replaceAll(/(["'=/“]?)([\w.-]+)/gu, (all: string, before: string, word: string) =>
    word.startsWith(`${name}-`) || (word === name && before !== "") ? " " : all,
  );
}
