import { open } from "node:fs/promises";

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
