import { type FSWatcher, watch } from "node:fs";
import { basename } from "node:path";
import type { Logger } from "pino";
import { PolicyError } from "../policy/read-policy.ts";
import type { Clock, Timer } from "../../platform/clock.ts";
import { unawaited } from "../../platform/waiting.ts";

/** A changed file is read twice, this far apart: half a rule can allow more than the whole one. */
const SETTLE_MS = 100;
/** How often a file is read even without a notification. */
const POLL_MS = 2_000;

/** The text of the file or files, or why there is none. */
export type Content = { readonly text: string } | { readonly failure: string };

/** A file of the operator, or a folder of them. */
export type Place<Value> = {
  readonly folder: string;
  readonly read: () => Promise<Content>;
  /** Throws a `PolicyError`. */
  readonly valueOf: (content: Content) => Value;
};

type Parts<Value> = {
  readonly path: string;
  readonly place: Place<Value>;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after">;
  /** How much there is of it, for the log. */
  readonly sizeOf: (value: Value) => object;
  /** Of the log. */
  readonly messages: { readonly reloaded: string; readonly broken: string; readonly unread: string };
};

export type FollowedFile<Value> = {
  /** The same value until the file has changed. */
  readonly current: () => Value;
  /** Why a changed file isn't in force; undefined while it is. */
  readonly problem: () => PolicyError | undefined;
  /** Nothing is taken or logged afterwards. */
  readonly close: () => void;
};

/**
 * Reads a file and follows it. A change takes effect as soon as it is written; a broken one leaves the previous value in
 * force. Throws a `PolicyError` when it is broken or unreadable at the start.
 *
 * Watches the folder, because editors and Kubernetes' config maps replace the file or link
 * (https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically),
 * which ends a watch on the file. Also polls, because not every file system sends notifications.
 */
export async function followFile<Value>(parts: Parts<Value>): Promise<FollowedFile<Value>> {
  const { path, log, clock, sizeOf, messages } = parts;
  const { folder, read, valueOf } = parts.place;
  let lastRead = await read();
  let value = valueOf(lastRead);
  let problem: PolicyError | undefined;
  let pending: Content | undefined;
  let isClosed = false;
  let timer: Timer | undefined;
  const take = (content: Content): void => {
    lastRead = content;
    try {
      value = valueOf(content);
      problem = undefined;
      log.info({ path, ...sizeOf(value) }, messages.reloaded);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      problem = error;
      log.error({ path, problems: error.problems }, messages.broken);
    }
  };
  const check = async (): Promise<void> => {
    timer = undefined;
    const content = await read();
    if (isClosed) return;
    const isNew = !isSame(content, lastRead);
    const isSettled = pending !== undefined && isSame(pending, content);
    pending = isNew && !isSettled ? content : undefined;
    if (pending !== undefined) checkSoon();
    else if (isNew) take(content);
  };
  const checkSoon = (): void => {
    timer ??= clock.after(SETTLE_MS, () => unawaited(check(), (err) => log.error({ err, path }, messages.unread)));
  };
  const poll = (): Timer =>
    clock.after(POLL_MS, () => {
      checkSoon();
      polling = poll();
    });
  let polling = poll();
  const watcher = watchFolder(folder, checkSoon);
  return {
    current: () => value,
    problem: () => problem,
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

export async function contentOf(reading: Promise<string>): Promise<Content> {
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

/** Throws a `PolicyError` that names the variable of the path. */
export function textOf(content: Content, path: string, variable: string, what?: string): string {
  if ("text" in content) return content.text;
  const sentence = `Couldn't read the file (${content.failure}). Check ${variable} and the file's permissions.`;
  throw new PolicyError(path, [{ line: 1, sentence }], what);
}

/** The first problem as one sentence, with the number of others. */
export function policyTrouble({ file, problems }: PolicyError): string {
  const [{ line, sentence } = { line: 1, sentence: "It can't be read." }, ...others] = problems;
  const more = others.length === 0 ? "" : ` And ${others.length} more.`;
  return `${basename(file)}, line ${line}: ${sentence}${more}`;
}
