import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Logger } from "pino";
import { defaultPolicy } from "../policy/default-policy.ts";
import { PolicyError, readPolicy } from "../policy/read-policy.ts";
import type { Policy } from "../policy/policy.ts";

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
  readonly current: () => Policy;
  /** Nothing is reported or logged afterwards. */
  readonly close: () => void;
};

/** A changed file is read twice, this far apart: half a rule can allow more than the whole one. */
const SETTLE_MS = 100;
const POLL_MS = 2_000;

/**
 * Opens the policy and watches its file. A change takes effect as soon as it is written; a broken file leaves the
 * previous policy in force. Throws a `PolicyError` when the file is broken or unreadable at the start.
 */
export async function openPolicy({
  path,
  log,
  onChange,
  pollMs = POLL_MS,
}: PolicySourceOptions): Promise<PolicySource> {
  if (path === undefined) return { current: () => defaultPolicy, close: () => undefined };
  const file = resolve(path);
  let lastRead = await contentOf(file);
  let policy = policyFrom(lastRead, path);
  const take = (content: Content): void => {
    lastRead = content;
    try {
      policy = policyFrom(content, path);
      const rules = policy.rules.length;
      log.info({ path, rules }, "policy reloaded");
      onChange?.({ kind: "taken", rules });
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      log.error({ path, problems: error.problems }, "the changed policy has problems; keeping the previous one");
      onChange?.({ kind: "broken", message: error.message });
    }
  };
  const follower = followFile(file, pollMs, { isNew: (content) => !isSame(content, lastRead), take });
  return { current: () => policy, close: follower.close };
}

/** The text of the file, or why there is none. */
type Content = { readonly text: string } | { readonly failure: string };

async function contentOf(file: string): Promise<Content> {
  try {
    return { text: await readFile(file, "utf8") };
  } catch (error) {
    return { failure: error instanceof Error && "code" in error ? String(error.code) : String(error) };
  }
}

function isSame(one: Content, other: Content): boolean {
  if ("text" in one) return "text" in other && one.text === other.text;
  return "failure" in other && one.failure === other.failure;
}

function policyFrom(content: Content, path: string): Policy {
  if ("text" in content) return readPolicy(content.text, path);
  const sentence = `Couldn't read the file (${content.failure}). Check GANTRY_POLICY and the file's permissions.`;
  throw new PolicyError(path, [{ line: 1, sentence }]);
}

type Follow = {
  readonly isNew: (content: Content) => boolean;
  readonly take: (content: Content) => void;
};

/**
 * Watches the folder, because editors and Kubernetes' config maps replace the file or link
 * (https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically),
 * which ends a watch on the file. Also polls, because not every file system sends notifications.
 */
function followFile(file: string, pollMs: number, { isNew, take }: Follow): { readonly close: () => void } {
  let pending: Content | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const check = async (): Promise<void> => {
    timer = undefined;
    const content = await contentOf(file);
    if (isClosed) return;
    const isSettled = pending !== undefined && isSame(pending, content);
    pending = isNew(content) && !isSettled ? content : undefined;
    if (pending !== undefined) checkSoon();
    else if (isNew(content)) take(content);
  };
  const checkSoon = (): void => {
    timer ??= setTimeout(() => void check(), SETTLE_MS).unref();
  };
  const poll = setInterval(checkSoon, pollMs).unref();
  const watcher = watchFolder(dirname(file), checkSoon);
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
