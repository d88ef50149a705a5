import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { type FileWatch, readWatches } from "../commands/verbs/watch/watches-file.ts";
import { PolicyError } from "../policy/read-policy.ts";
import type { WatchesFacts } from "../health/facts.ts";
import { type Content, contentOf, follow, isSame, policyTrouble } from "./policy-source.ts";

type WatchesSourceOptions = {
  /** Undefined without a file. */
  readonly path: string | undefined;
  /** Several workspaces use this Gantry. */
  readonly needsTeam: boolean;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after">;
};

export type WatchesSource = {
  /** The same list until the file has changed. */
  readonly current: () => readonly FileWatch[];
  /** Undefined without a file. */
  readonly facts: () => WatchesFacts | undefined;
  readonly close: () => void;
};

/**
 * Opens the file of watches and follows it, like the policy: a broken file leaves the watches as they were. Throws a
 * `PolicyError` when it is broken or unreadable at the start.
 */
export async function openWatches({ path, needsTeam, log, clock }: WatchesSourceOptions): Promise<WatchesSource> {
  const none: readonly FileWatch[] = [];
  if (path === undefined) return { current: () => none, facts: () => undefined, close: () => undefined };
  const place = { folder: dirname(resolve(path)), read: () => contentOf(readFile(path, "utf8")) };
  const watchesIn = (content: Content) => watchesOf(content, { path, needsTeam });
  let lastRead = await place.read();
  let watches = watchesIn(lastRead);
  let problem: PolicyError | undefined;
  const follower = follow(place, clock, {
    isNew: (content) => !isSame(content, lastRead),
    take(content) {
      lastRead = content;
      try {
        watches = watchesIn(content);
        problem = undefined;
        log.info({ path, watches: watches.length }, "watches reloaded");
      } catch (error) {
        if (!(error instanceof PolicyError)) throw error;
        problem = error;
        log.error(
          { path, problems: error.problems },
          "the changed file of watches has problems; keeping the previous one",
        );
      }
    },
    onError: (err) => log.error({ err, path }, "couldn't read the file of watches again; keeping the previous one"),
  });
  return {
    current: () => watches,
    facts: () => factsOf(path, watches, problem),
    close: follower.close,
  };
}

/** Reads the file now, for the doctor; undefined without one. */
export async function watchesInFile({
  path,
  needsTeam,
}: Pick<WatchesSourceOptions, "path" | "needsTeam">): Promise<WatchesFacts | undefined> {
  if (path === undefined) return undefined;
  try {
    return factsOf(path, watchesOf(await contentOf(readFile(path, "utf8")), { path, needsTeam }), undefined);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return factsOf(path, [], error);
  }
}

/** Throws a `PolicyError`. */
function watchesOf(
  content: Content,
  { path, needsTeam }: { readonly path: string; readonly needsTeam: boolean },
): readonly FileWatch[] {
  if ("text" in content) return readWatches(content.text, path, { needsTeam });
  const sentence = `Couldn't read the file (${content.failure}). Check GANTRY_WATCHES and the file's permissions.`;
  throw new PolicyError(path, [{ line: 1, sentence }], "file of watches");
}

function factsOf(path: string, watches: readonly FileWatch[], problem: PolicyError | undefined): WatchesFacts {
  return { source: basename(path), count: watches.length, problem: problem && policyTrouble(problem) };
}
