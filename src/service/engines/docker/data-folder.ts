import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { link, readdir, readFile, rm, rename, open } from "node:fs/promises";
import { join, dirname } from "node:path";
import { addressText, type DaemonAddress } from "./daemon/daemon-connection.ts";
import { z } from "zod";
import type { ContainerSpec, DaemonApi } from "./daemon/daemon-client.ts";
import type { ListedContainer } from "./daemon/daemon-answers.ts";
import { containerName, OWNER_LABEL, unitOf } from "./container-spec.ts";

const FILE = "docker-owner";
const DRAFT = `${FILE}.`;
const FORM = /^[0-9a-f]{16}$/;

/**
 * The id of a data folder, made at its first start. Everything on the daemon carries it, so that two Gantrys on one
 * daemon never touch each other's containers, and a folder that was moved finds its own again.
 */
export async function ownerOf(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE);
  const known = await readFile(path, "utf8").catch(() => undefined); // there is none before the first start
  const owner = (known ?? (await writeOwner(dataDir))).trim();
  if (FORM.test(owner)) return owner;
  throw new Error(
    `${path} is damaged. It names the containers of this folder: write the value of their label gantry.owner into it, 16 hexadecimal digits, or remove the file if there are none.`,
  );
}

/**
 * Under a name of its own until it is on the disk: a kill in between must not leave an empty file, which reads as
 * damaged. A link, because unlike a rename it never replaces the id that another server has just written here.
 */
async function writeOwner(dataDir: string): Promise<string> {
  const owner = randomBytes(8).toString("hex");
  const draft = join(dataDir, `${DRAFT}${owner}`);
  await writeDurably(draft, `${owner}\n`);
  await link(draft, join(dataDir, FILE)).catch((error: unknown) => {
    // The other server may have removed the draft, too.
    if (!existsSync(join(dataDir, FILE))) throw error;
  });
  await flushFolder(dataDir);
  for (const name of await readdir(dataDir)) if (name.startsWith(DRAFT)) await rm(join(dataDir, name), { force: true });
  return await readFile(join(dataDir, FILE), "utf8");
}

/**
 * The address of the daemon that a data folder's workloads run on. Two daemons at the usual sockets are common: if the
 * first is down for once, the next start mustn't run on the other what still runs on the first.
 */
export async function rememberedDaemon(dataDir: string): Promise<string | undefined> {
  const text = await readFile(fileIn(dataDir), "utf8").catch(() => ""); // there is none before the first start
  return /^(?:unix|tcp):\/\/\S+$/u.exec(text.trim())?.[0];
}

export async function rememberDaemon(dataDir: string, address: DaemonAddress): Promise<void> {
  const now = addressText(address);
  if ((await rememberedDaemon(dataDir)) === now) return;
  await replaceFile(fileIn(dataDir), `${now}\n`);
}

function fileIn(dataDir: string): string {
  return join(dataDir, "docker-daemon");
}

/** A kill or a full disk leaves the text of before, not an empty file, which would read as none. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeDurably(`${path}.new`, text);
  await rename(`${path}.new`, path);
  await flushFolder(dirname(path));
}

/** Waits until it is on the disk. For a temporary name: a kill can leave it empty. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** After a rename or a link: without it, a power failure can lose the new name. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** By name. Between the request to create a container and its answer, the id isn't known. */
const Saved = z.record(z.string(), z.object({ id: z.string().optional(), isPending: z.boolean().optional() }));
type Entry = z.output<typeof Saved>[string];

export type OwnContainers = ReturnType<typeof ownContainers>;

/**
 * Tells this data folder's containers from others with its labels: an image that somebody committed from a container
 * brings them along. A container is one's own if its labels, its name and its id agree with what was written down.
 * A folder without such a file is of an earlier Gantry: it takes over the containers whose labels and names agree.
 */
export function ownContainers(daemon: DaemonApi, { folder, owner }: { folder: string; owner: string }) {
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
        writing = replaceFile(path, JSON.stringify(Object.fromEntries(known)));
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
    /** The daemon without the containers of others in its lists. */
    daemon: {
      ...daemon,
      async listContainers(labels: readonly string[]) {
        const listed = await daemon.listContainers(labels);
        if (isFirstList && labels.length === 1) await compareWith(listed);
        return listed.filter(isOwn);
      },
      async createContainer(name: string, spec: ContainerSpec) {
        known.set(name, { ...known.get(name), isPending: true });
        await save();
        const id = await daemon.createContainer(name, spec);
        known.set(name, { id });
        await save();
        return id;
      },
      async removeContainer(id: string) {
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
