import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rememberDaemon, rememberedDaemon, ownerOf } from "../../../../src/service/engines/docker/data-folder.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-docker-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a folder gets its id at the first start and keeps it", async () => {
  const owner = await ownerOf(folder);

  expect(owner).toMatch(/^[0-9a-f]{16}$/u);
  expect(await ownerOf(folder)).toBe(owner);
  expect(readdirSync(folder)).toEqual(["docker-owner"]);
});

test("a first start that was killed while it wrote the id leaves nothing that stops the next one", async () => {
  writeFileSync(join(folder, "docker-owner.0123456789abcdef"), "");

  const owner = await ownerOf(folder);

  expect(await ownerOf(folder)).toBe(owner);
  expect(readdirSync(folder)).toEqual(["docker-owner"]);
});

test("servers that start at once on a new folder have one id", async () => {
  const owners = await Promise.all(Array.from({ length: 8 }, () => ownerOf(folder)));

  expect(new Set(owners)).toEqual(new Set([readFileSync(join(folder, "docker-owner"), "utf8").trim()]));
});

test("a damaged id stops the start, because its containers would not be found", async () => {
  writeFileSync(join(folder, "docker-owner"), "");

  await expect(ownerOf(folder)).rejects.toThrow("docker-owner is damaged");
});

test("the daemon's address is replaced as a whole: when it can't be written, the one of before stays", async () => {
  await rememberDaemon(folder, { socketPath: "/run/first.sock" });
  mkdirSync(join(folder, "docker-daemon.new")); // nothing can be written under this name

  await expect(rememberDaemon(folder, { socketPath: "/run/second.sock" })).rejects.toThrow("EISDIR");

  expect(await rememberedDaemon(folder)).toBe("unix:///run/first.sock");
});
