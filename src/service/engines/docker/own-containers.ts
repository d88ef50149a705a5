import { existsSync, readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { DaemonApi } from "./daemon/daemon-client.ts";
import type { ListedContainer } from "./daemon/daemon-schemas.ts";
import { containerName, OWNER_LABEL, unitOf } from "./names.ts";
import { flushFolder, writeDurably } from "./data-folder.ts";

/** By name. Between the request to create a container and its answer, the id isn't known. */
const Saved = z.record(z.string(), z.object({ id: z.string().optional(), isPending: z.boolean().optional() }));
type Entry = z.output<typeof Saved>[string];

export type OwnContainers = {
  /** The daemon without the containers of others in its lists. */
  readonly daemon: DaemonApi;
  readonly isOwn: (container: ListedContainer) => boolean;
};

/**
 * Tells this data folder's containers from others with its labels: an image that somebody committed from a container
 * brings them along. A container is one's own if its labels, its name and its id agree with what was written down.
 * A folder without such a file is of an earlier Gantry: it takes over the containers whose labels and names agree.
 */
export function ownContainers(daemon: DaemonApi, { folder, owner }: { folder: string; owner: string }): OwnContainers {
  const path = join(folder, "docker-containers.json");
  const before = readSaved(path);
  const known = new Map(before);
  let isFirstList = true;
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  /** Resolves when all changes until now are on the disk. Changes that wait are written together. */
  function save(): Promise<void> {
    next ??= writing
      .catch(() => undefined) // told to those who waited for it
      .then(() => {
        next = undefined;
        writing = write(path, known);
        return writing;
      });
    return next;
  }

  function isOwn({ id, name, labels, state }: ListedContainer): boolean {
    if (!isNamedAsLabelled({ name, labels }, owner)) return false;
    const entry = known.get(name);
    return entry !== undefined && (entry.id === id || (entry.isPending === true && state === "created"));
  }

  async function compareWith(listed: readonly ListedContainer[]): Promise<void> {
    isFirstList = false;
    const present = new Set(listed.map(({ id }) => id));
    for (const [name, entry] of before ?? []) {
      if (known.get(name) === entry && entry.id !== undefined && !present.has(entry.id)) known.delete(name);
    }
    if (before === undefined) {
      for (const each of listed) {
        if (isNamedAsLabelled(each, owner) && !known.has(each.name)) known.set(each.name, { id: each.id });
      }
    }
    await save();
  }

  return {
    isOwn,
    daemon: {
      ...daemon,
      async listContainers(labels) {
        const listed = await daemon.listContainers(labels);
        if (isFirstList && labels.length === 1) await compareWith(listed);
        return listed.filter(isOwn);
      },
      async createContainer(name, spec) {
        known.set(name, { ...known.get(name), isPending: true });
        await save();
        const id = await daemon.createContainer(name, spec);
        known.set(name, { id });
        await save();
        return id;
      },
      async removeContainer(id) {
        await daemon.removeContainer(id);
        for (const [name, entry] of known) if (entry.id === id) known.delete(name);
        // An entry that stays is of no container any more: ids aren't used twice.
        await save().catch(() => undefined);
      },
    },
  };
}

function isNamedAsLabelled({ name, labels }: Pick<ListedContainer, "name" | "labels">, owner: string): boolean {
  const unit = unitOf(labels);
  return labels[OWNER_LABEL] === owner && unit !== undefined && name === containerName(owner, unit);
}

function readSaved(path: string): ReadonlyMap<string, Entry> | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return new Map(Object.entries(Saved.parse(JSON.parse(readFileSync(path, "utf8")))));
  } catch (error) {
    throw new Error(
      `${path} is damaged. It lists the containers of this folder. Remove it: then those with matching labels and names are taken over.`,
      { cause: error },
    );
  }
}

async function write(path: string, known: ReadonlyMap<string, Entry>): Promise<void> {
  await writeDurably(`${path}.new`, JSON.stringify(Object.fromEntries(known)));
  await rename(`${path}.new`, path);
  await flushFolder(dirname(path));
}
