import { type FSWatcher, watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Logger } from "pino";
import { defaultPolicy } from "../policy/default-policy.ts";
import { isOfTeam, policiesIn, readFolder } from "./policy-folder.ts";
import { PolicyError, readPolicy } from "../policy/read-policy.ts";
import type { Policy } from "../policy/policy.ts";
import { unawaited } from "../../platform/unawaited.ts";

export type PolicyUpdate =
  | { readonly kind: "taken"; readonly rules: number }
  /** The previous policy stays in force. The message lists lines and sentences. */
  | { readonly kind: "broken"; readonly message: string };

type PolicySourceOptions = {
  /** Undefined for the built-in policy. */
  readonly path: string | undefined;
  readonly log: Logger;
  readonly onChange?: (news: PolicyUpdate) => void;
  /** How often the file is read even without a notification. Default: 2 s. */
  readonly pollMs?: number;
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
const POLL_MS = 2_000;

/** The policies that hold, and how many rules they have. */
type Policies = { readonly of: (teamId: string | undefined) => Policy; readonly rules: number };

/**
 * Opens the policy and watches its file, or the folder with one file for each workspace. A change takes effect as soon as
 * it is written; a broken file leaves the previous policy in force. Throws a `PolicyError` when a file is broken or
 * unreadable at the start.
 */
export async function openPolicy({
  path,
  log,
  onChange,
  pollMs = POLL_MS,
}: PolicySourceOptions): Promise<PolicySource> {
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
  const follower = follow(place, pollMs, {
    isNew: (content) => !isSame(content, lastRead),
    take,
    onError: (err) => log.error({ err, path }, "couldn't read the policy again; keeping the previous one"),
  });
  return {
    current: (teamId) => policies.of(teamId),
    problem: (teamId) => troubleFor(problem, teamId),
    close: follower.close,
  };
}

function troubleFor(problem: PolicyError | undefined, teamId: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  const isOfAnother = teamId !== undefined && isOfTeam(problem.file) && !problem.file.endsWith(`${teamId}.yaml`);
  return isOfAnother ? undefined : policyTrouble(problem);
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
      return { of: () => policy, rules: policy.rules.length };
    },
  };
}

/** The text of the file or files, or why there is none. */
type Content = { readonly text: string } | { readonly failure: string };

async function contentOf(reading: Promise<string>): Promise<Content> {
  try {
    return { text: await reading };
  } catch (error) {
    return { failure: error instanceof Error && "code" in error ? String(error.code) : String(error) };
  }
}

function isSame(one: Content, other: Content): boolean {
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
function follow(
  { folder, read }: Place,
  pollMs: number,
  { isNew, take, onError }: Follow,
): { readonly close: () => void } {
  let pending: Content | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
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
    timer ??= setTimeout(() => unawaited(check(), onError), SETTLE_MS).unref();
  };
  const poll = setInterval(checkSoon, pollMs).unref();
  const watcher = watchFolder(folder, checkSoon);
  return {
    close() {
      isClosed = true;
      clearInterval(poll);
      clearTimeout(timer);
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
