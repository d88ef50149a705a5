import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../src");

/** About 25 files fit on a screen; a fuller folder is split by topic. */
const most = 25;

type Folder = { readonly path: string; readonly files: number };

function foldersIn(path: string): readonly Folder[] {
  const entries = readdirSync(path, { withFileTypes: true });
  const own = { path: relative(src, path), files: entries.filter((entry) => entry.isFile()).length };
  const inner = entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => foldersIn(join(path, name)));
  return [own, ...inner];
}

test(`no folder of src holds more than ${most} files of its own`, () => {
  const folders = foldersIn(src);

  expect(folders.length).toBeGreaterThan(50);
  expect(folders.filter(({ files }) => files > most)).toEqual([]);
});
