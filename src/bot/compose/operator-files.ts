import { readFile, stat, readdir } from "node:fs/promises";
import { basename, dirname, resolve, join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../platform/clock.ts";
import { type FileWatch, readWatches } from "../commands/verbs/watch/watches-file.ts";
import type { WatchesFacts } from "../health/facts.ts";
import { defaultPolicy, PolicyError, readPolicy } from "../policy/read-policy.ts";
import { type MovedChannels, type Policy, withMovedChannels } from "../policy/policy.ts";
import type { Store } from "../store/store.ts";
import { contentOf, followFile, type Place, policyTrouble, textOf } from "./followed-file.ts";

// The files in which an operator writes rules and watches.

type Opening = {
  /** Undefined for the built-in policy, and without a file of watches. */
  readonly path: string | undefined;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after">;
};

/** The policies in force, and how many rules they have. */
type Policies = {
  /** The one for a workspace. */
  readonly of: (teamId: string | undefined) => Policy;
  /** One for each file. */
  readonly all: readonly Policy[];
  readonly rules: number;
};

/**
 * Opens the policy and follows its file, or the folder with one file for each workspace. Throws a `PolicyError` when a
 * file is broken or unreadable at the start.
 */
export async function openPolicy({ path, log, clock }: Opening) {
  const { current, problem, close } =
    path === undefined
      ? { current: () => policiesOf(defaultPolicy), problem: () => undefined, close: () => undefined }
      : await followFile({
          path,
          place: await placeOf(path),
          log,
          clock,
          sizeOf: ({ rules }) => ({ rules }),
          messages: {
            reloaded: "policy reloaded",
            broken: "the changed policy has problems; keeping the previous one",
            unread: "couldn't read the policy again; keeping the previous one",
          },
        });
  return {
    /** Of a workspace, when there is a file for it; else of all. */
    current: (teamId?: string): Policy => current().of(teamId),
    /** Why a changed file isn't in force; undefined while all are. For one workspace, nothing about the file of another. */
    problem: (teamId?: string): string | undefined => {
      const found = problem();
      if (found === undefined) return undefined;
      const isOfAnother = teamId !== undefined && isOfTeam(found.file) && !found.file.endsWith(`${teamId}.yaml`);
      return isOfAnother ? undefined : policyTrouble(found);
    },
    close,
  };
}

/** The policies as the file or folder says them now. Throws a `PolicyError`. */
export async function readPolicies(path: string): Promise<Policies> {
  const { read, valueOf } = await placeOf(path);
  return valueOf(await read());
}

async function placeOf(path: string): Promise<Place<Policies>> {
  const absolute = resolve(path);
  const isFolder = await stat(absolute).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return {
    folder: isFolder ? absolute : dirname(absolute),
    read: () => contentOf(isFolder ? readFolder(absolute) : readFile(absolute, "utf8")),
    valueOf(content) {
      const text = textOf(content, path, "GANTRY_POLICY");
      return isFolder ? policiesIn(text, path) : policiesOf(readPolicy(text, path));
    },
  };
}

function policiesOf(policy: Policy): Policies {
  return { of: () => policy, all: [policy], rules: policy.rules.length };
}

/** In a folder, the policy of workspaces without a file of their own. */
const DEFAULT = "default.yaml";
/** Slack's id of a workspace: https://docs.slack.dev/reference/objects/team-object */
const FILE_NAME = /^(?:default|T[A-Z0-9]{2,})\.yaml$/u;

const Files = z.array(z.tuple([z.string(), z.string()]));

/** The policy files of a folder, as one text: so a change of any of them is noticed as that of one file. */
async function readFolder(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/iu.test(name) && !name.startsWith("."));
  const read = names.toSorted().map(async (name) => [name, await readFile(join(folder, name), "utf8")]);
  return JSON.stringify(await Promise.all(read));
}

/**
 * The policies in what `readFolder` read: a workspace's own, else the default. Throws a `PolicyError` for the first file
 * with a problem: half of a changed folder must not hold.
 */
function policiesIn(text: string, path: string): Policies {
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
function isOfTeam(file: string): boolean {
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

const noWatches: readonly FileWatch[] = [];

type Watching = Pick<Opening, "path"> & {
  /** Several workspaces use this Gantry. */
  readonly needsTeam: boolean;
};

/**
 * Opens the file of watches and follows it, like the policy. Throws a `PolicyError` when it is broken or unreadable at the
 * start.
 */
export async function openWatches({ path, needsTeam, log, clock }: Opening & Watching) {
  if (path === undefined) return { current: () => noWatches, facts: () => undefined, close: () => undefined };
  const { current, problem, close } = await followFile({
    path,
    place: watchesAt(path, needsTeam),
    log,
    clock,
    sizeOf: (watches) => ({ watches: watches.length }),
    messages: {
      reloaded: "watches reloaded",
      broken: "the changed file of watches has problems; keeping the previous one",
      unread: "couldn't read the file of watches again; keeping the previous one",
    },
  });
  return { current, facts: () => factsOf(path, current(), problem()), close };
}

/** Reads the file now, for the doctor; undefined without one. */
export async function watchesInFile({ path, needsTeam }: Watching): Promise<WatchesFacts | undefined> {
  if (path === undefined) return undefined;
  const { read, valueOf } = watchesAt(path, needsTeam);
  try {
    return factsOf(path, valueOf(await read()), undefined);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return factsOf(path, [], error);
  }
}

function watchesAt(path: string, needsTeam: boolean): Place<readonly FileWatch[]> {
  return {
    folder: dirname(resolve(path)),
    read: () => contentOf(readFile(path, "utf8")),
    valueOf: (content) => readWatches(textOf(content, path, "GANTRY_WATCHES", "file of watches"), path, { needsTeam }),
  };
}

function factsOf(path: string, watches: readonly FileWatch[], problem: PolicyError | undefined): WatchesFacts {
  return { source: basename(path), count: watches.length, problem: problem && policyTrouble(problem) };
}
