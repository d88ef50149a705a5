import { type FSWatcher, watch } from "node:fs";
import { readFile, stat, readdir } from "node:fs/promises";
import { basename, dirname, resolve, join } from "node:path";
import type { Logger } from "pino";
import { defaultPolicy, PolicyError, readPolicy } from "../policy/read-policy.ts";
import { type MovedChannels, type Policy, withMovedChannels } from "../policy/policy.ts";
import type { Store } from "../store/store.ts";
import type { Clock, Timer } from "../../platform/clock.ts";
import { unawaited } from "../../platform/waiting.ts";
import { z } from "zod";

export type PolicyUpdate =
  | { readonly kind: "taken"; readonly rules: number }
  /** The previous policy stays in force. The message lists lines and sentences. */
  | { readonly kind: "broken"; readonly message: string };

type PolicySourceOptions = {
  /** Undefined for the built-in policy. */
  readonly path: string | undefined;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after">;
  readonly onChange?: (news: PolicyUpdate) => void;
};

export type PolicySource = {
  /** Of a workspace, when there is a file for it; else of all. */
  readonly current: (teamId?: string) => Policy;
  /** Why a changed file isn't in force; undefined while all are. For one workspace, nothing about the file of another. */
  readonly problem: (teamId?: string) => string | undefined;
  /** Nothing is reported or logged afterwards. */
  readonly close: () => void;
};

/** A changed file is read twice, this far apart: half a rule can allow more than the whole one. */
const SETTLE_MS = 100;
/** How often a file is read even without a notification. */
const POLL_MS = 2_000;

/** The policies in force, and how many rules they have. */
type Policies = {
  /** The one for a workspace. */
  readonly of: (teamId: string | undefined) => Policy;
  /** One for each file. */
  readonly all: readonly Policy[];
  readonly rules: number;
};

/**
 * Opens the policy and watches its file, or the folder with one file for each workspace. A change takes effect as soon as
 * it is written; a broken file leaves the previous policy in force. Throws a `PolicyError` when a file is broken or
 * unreadable at the start.
 */
export async function openPolicy({ path, log, clock, onChange }: PolicySourceOptions): Promise<PolicySource> {
  if (path === undefined) return { current: () => defaultPolicy, problem: () => undefined, close: () => undefined };
  const place = await placeOf(resolve(path), path);
  let lastRead = await place.read();
  let problem: PolicyError | undefined;
  let policies = place.policiesFrom(lastRead);
  const take = (content: Content): void => {
    lastRead = content;
    try {
      policies = place.policiesFrom(content);
      problem = undefined;
      const { rules } = policies;
      log.info({ path, rules }, "policy reloaded");
      onChange?.({ kind: "taken", rules });
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      problem = error;
      log.error({ path, problems: error.problems }, "the changed policy has problems; keeping the previous one");
      onChange?.({ kind: "broken", message: error.message });
    }
  };
  const follower = follow(place, clock, {
    isNew: (content) => !isSame(content, lastRead),
    take,
    onError: (err) => log.error({ err, path }, "couldn't read the policy again; keeping the previous one"),
  });
  return {
    current: (teamId) => policies.of(teamId),
    problem(teamId) {
      if (problem === undefined) return undefined;
      const isOfAnother = teamId !== undefined && isOfTeam(problem.file) && !problem.file.endsWith(`${teamId}.yaml`);
      return isOfAnother ? undefined : policyTrouble(problem);
    },
    close: follower.close,
  };
}

/** The policies as the file or folder says them now. Throws a `PolicyError`. */
export async function readPolicies(path: string): Promise<Policies> {
  const place = await placeOf(resolve(path), path);
  return place.policiesFrom(await place.read());
}

/** The first problem as one sentence, with the number of others. */
export function policyTrouble({ file, problems }: PolicyError): string {
  const [{ line, sentence } = { line: 1, sentence: "It can't be read." }, ...others] = problems;
  const more = others.length === 0 ? "" : ` And ${others.length} more.`;
  return `${basename(file)}, line ${line}: ${sentence}${more}`;
}

type Place = {
  readonly folder: string;
  readonly read: () => Promise<Content>;
  readonly policiesFrom: (content: Content) => Policies;
};

async function placeOf(absolute: string, path: string): Promise<Place> {
  const isFolder = await stat(absolute).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) {
    return {
      folder: absolute,
      read: () => contentOf(readFolder(absolute)),
      policiesFrom: (content) => policiesIn(textOf(content, path), path),
    };
  }
  return {
    folder: dirname(absolute),
    read: () => contentOf(readFile(absolute, "utf8")),
    policiesFrom(content) {
      const policy = readPolicy(textOf(content, path), path);
      return { of: () => policy, all: [policy], rules: policy.rules.length };
    },
  };
}

/** The text of the file or files, or why there is none. */
export type Content = { readonly text: string } | { readonly failure: string };

export async function contentOf(reading: Promise<string>): Promise<Content> {
  try {
    return { text: await reading };
  } catch (error) {
    return { failure: error instanceof Error && "code" in error ? String(error.code) : String(error) };
  }
}

export function isSame(one: Content, other: Content): boolean {
  if ("text" in one) return "text" in other && one.text === other.text;
  return "failure" in other && one.failure === other.failure;
}

function textOf(content: Content, path: string): string {
  if ("text" in content) return content.text;
  const sentence = `Couldn't read the file (${content.failure}). Check GANTRY_POLICY and the file's permissions.`;
  throw new PolicyError(path, [{ line: 1, sentence }]);
}

type Follow = {
  readonly isNew: (content: Content) => boolean;
  readonly take: (content: Content) => void;
  readonly onError: (error: unknown) => void;
};

/**
 * Watches the folder, because editors and Kubernetes' config maps replace the file or link
 * (https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically),
 * which ends a watch on the file. Also polls, because not every file system sends notifications.
 */
export function follow(
  { folder, read }: Pick<Place, "folder" | "read">,
  clock: Pick<Clock, "after">,
  { isNew, take, onError }: Follow,
): { readonly close: () => void } {
  let pending: Content | undefined;
  let isClosed = false;
  let timer: Timer | undefined;
  const check = async (): Promise<void> => {
    timer = undefined;
    const content = await read();
    if (isClosed) return;
    const isSettled = pending !== undefined && isSame(pending, content);
    pending = isNew(content) && !isSettled ? content : undefined;
    if (pending !== undefined) checkSoon();
    else if (isNew(content)) take(content);
  };
  const checkSoon = (): void => {
    timer ??= clock.after(SETTLE_MS, () => unawaited(check(), onError));
  };
  const poll = (): Timer =>
    clock.after(POLL_MS, () => {
      checkSoon();
      polling = poll();
    });
  let polling = poll();
  const watcher = watchFolder(folder, checkSoon);
  return {
    close() {
      isClosed = true;
      polling.cancel();
      timer?.cancel();
      watcher?.close();
    },
  };
}

/** Undefined when the system has no watches left (Linux limits them): polling is enough. */
function watchFolder(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** In a folder, the policy of workspaces without a file of their own. */
const DEFAULT = "default.yaml";
/** Slack's id of a workspace: https://docs.slack.dev/reference/objects/team-object */
const FILE_NAME = /^(?:default|T[A-Z0-9]{2,})\.yaml$/u;

const Files = z.array(z.tuple([z.string(), z.string()]));

/** The policy files of a folder, as one text: so a change of any of them is noticed as that of one file. */
export async function readFolder(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/iu.test(name) && !name.startsWith("."));
  const read = names.toSorted().map(async (name) => [name, await readFile(join(folder, name), "utf8")]);
  return JSON.stringify(await Promise.all(read));
}

/**
 * The policies in what `readFolder` read: a workspace's own, else the default. Throws a `PolicyError` for the first file
 * with a problem: half of a changed folder must not hold.
 */
export function policiesIn(text: string, path: string): Policies {
  const files = Files.parse(JSON.parse(text));
  const policies = new Map(files.map(([name, content]) => [teamIn(name, path), readPolicy(content, join(path, name))]));
  const byDefault = policies.get("default");
  if (byDefault === undefined) {
    throw new PolicyError(join(path, DEFAULT), [
      { line: 1, sentence: "It is missing. It holds in workspaces without a file of their own." },
    ]);
  }
  const all = [...policies.values()];
  const rules = all.reduce((sum, policy) => sum + policy.rules.length, 0);
  return { rules, all, of: (teamId) => policies.get(teamId ?? "default") ?? byDefault };
}

/** Whether a file is the policy of one workspace. */
export function isOfTeam(file: string): boolean {
  return FILE_NAME.test(basename(file)) && basename(file) !== DEFAULT;
}

/** A file with another name would hold nowhere, and nobody would notice. */
function teamIn(name: string, path: string): string {
  if (FILE_NAME.test(name)) return name.slice(0, -".yaml".length);
  throw new PolicyError(join(path, name), [
    { line: 1, sentence: `Name it ${DEFAULT}, or after a workspace's id, like T0123ABCD.yaml.` },
  ]);
}

export type MovedPolicy = {
  /** Reads which channels have another id by now. */
  readonly refresh: () => Promise<void>;
  /** The policy of a workspace, with the ids that its channels have now. */
  readonly of: (teamId: string | undefined, policy: Policy) => Policy;
};

/** Policy files name channels by id, and Slack may give a channel another one. */
export function createMovedPolicy(store: Pick<Store, "movedChannels">): MovedPolicy {
  let byTeam: ReadonlyMap<string, MovedChannels> = new Map();
  return {
    async refresh() {
      const moves = Map.groupBy(await store.movedChannels(), ({ teamId }) => teamId);
      byTeam = new Map([...moves].map(([teamId, all]) => [teamId, new Map(all.map(({ from, to }) => [from, to]))]));
    },
    of(teamId, policy) {
      const moved = byTeam.get(teamId ?? "");
      return moved === undefined ? policy : withMovedChannels(policy, moved);
    },
  };
}
