import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { type FileWatch, readWatches } from "../commands/verbs/watch/watches-file.ts";
import { PolicyError } from "../policy/read-policy.ts";
import { type Content, contentOf, follow, isSame } from "./policy-source.ts";

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
  readonly close: () => void;
};

/**
 * Opens the file of watches and follows it, like the policy: a broken file leaves the watches as they were. Throws a
 * `PolicyError` when it is broken or unreadable at the start.
 */
export async function openWatches({ path, needsTeam, log, clock }: WatchesSourceOptions): Promise<WatchesSource> {
  const none: readonly FileWatch[] = [];
  if (path === undefined) return { current: () => none, close: () => undefined };
  const file = resolve(path);
  const place = { folder: dirname(file), read: () => contentOf(readFile(file, "utf8")) };
  const watchesIn = (content: Content): readonly FileWatch[] => {
    if ("text" in content) return readWatches(content.text, path, { needsTeam });
    const sentence = `Couldn't read the file (${content.failure}). Check GANTRY_WATCHES and the file's permissions.`;
    throw new PolicyError(path, [{ line: 1, sentence }], "file of watches");
  };
  let lastRead = await place.read();
  let watches = watchesIn(lastRead);
  const follower = follow(place, clock, {
    isNew: (content) => !isSame(content, lastRead),
    take(content) {
      lastRead = content;
      try {
        watches = watchesIn(content);
        log.info({ path, watches: watches.length }, "watches reloaded");
      } catch (error) {
        if (!(error instanceof PolicyError)) throw error;
        log.error(
          { path, problems: error.problems },
          "the changed file of watches has problems; keeping the previous one",
        );
      }
    },
    onError: (err) => log.error({ err, path }, "couldn't read the file of watches again; keeping the previous one"),
  });
  return { current: () => watches, close: follower.close };
}
