import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, readdir, readFile, rm, rename, open } from "node:fs/promises";
import { join } from "node:path";
import { addressText, type DaemonAddress } from "./daemon/daemon-address.ts";

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
  const draft = `${fileIn(dataDir)}.new`;
  await writeDurably(draft, `${now}\n`);
  // A kill or a full disk leaves the address of before, not an empty file, which would read as none.
  await rename(draft, fileIn(dataDir));
  await flushFolder(dataDir);
}

function fileIn(dataDir: string): string {
  return join(dataDir, "docker-daemon");
}

/** Waits until it is on the disk. For a temporary name: a kill can leave it empty. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** After a rename or a link: without it, a power failure can lose the new name. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
