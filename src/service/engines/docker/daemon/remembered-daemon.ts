import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { flushFolder, writeDurably } from "../write-durably.ts";
import { addressText, type DaemonAddress } from "./daemon-address.ts";

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
