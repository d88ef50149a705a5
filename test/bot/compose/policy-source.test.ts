import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPolicy } from "../../../src/bot/compose/operator-files.ts";
import { until } from "../../support/until.ts";
import { testClock } from "../../support/test-clock.ts";
import { defaultPolicy } from "../../../src/bot/policy/read-policy.ts";

const policyText = (name: string): string => `rules:\n  - { name: ${name}, who: members, does: read, then: allow }\n`;
const broken = "rules:\n  - { name: it, who: members, does: raed, then: allow }\n";
const taken = { level: 30, msg: "policy reloaded", path: expect.any(String), rules: 1 };
const BROKEN = 50;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "gantry-policy-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function opened(path: string | undefined) {
  const news: { readonly level: number }[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void news.push(JSON.parse(line)) });
  const clock = testClock();
  const { close, current } = await openPolicy({ path, log, clock });
  onTestFinished(close);
  /** Long enough for a change to be noticed and to settle, but for what has to be read in between. */
  const becomes = (isSo: () => boolean): Promise<void> =>
    until(() => {
      clock.passMs(2_000);
      return isSo();
    });
  const rule = (): string | undefined => current().rules[0]?.name;
  return { news, close, current, rule, becomes, expectRule: (name: string) => becomes(() => rule() === name) };
}

test("without a file the built-in policy holds", async () => {
  const { current } = await opened(undefined);

  expect(current()).toBe(defaultPolicy);
});

test("a file that is broken at the start, or is not there, is an error with file and line", async () => {
  const file = join(folder(), "policy.yaml");

  await expect(opened(file)).rejects.toThrow(
    `${file}:1: Couldn't read the file (ENOENT). Check GANTRY_POLICY and the file's permissions.`,
  );
  writeFileSync(file, broken);
  await expect(opened(file)).rejects.toThrow(`${file}:2: rule “it”, does: “raed”`);
});

test("a changed file holds soon, however it is written", async () => {
  const dir = folder();
  const file = join(dir, "policy.yaml");
  writeFileSync(file, policyText("first"));
  const { rule, news, expectRule } = await opened(file);
  expect(rule()).toBe("first");

  writeFileSync(file, policyText("written over"));
  await expectRule("written over");

  writeFileSync(join(dir, "policy.yaml.new"), policyText("put in its place"));
  renameSync(join(dir, "policy.yaml.new"), file);
  await expectRule("put in its place");

  expect(news).toEqual([taken, taken]);
});

test("a file behind links is followed when a link is swapped, as Kubernetes does", async () => {
  const dir = folder();
  for (const version of ["v1", "v2"]) {
    mkdirSync(join(dir, version));
    writeFileSync(join(dir, version, "policy.yaml"), policyText(version));
  }
  symlinkSync("v1", join(dir, "..data"));
  symlinkSync(join("..data", "policy.yaml"), join(dir, "policy.yaml"));
  const { expectRule } = await opened(join(dir, "policy.yaml"));

  symlinkSync("v2", join(dir, "..data_tmp"));
  renameSync(join(dir, "..data_tmp"), join(dir, "..data"));

  await expectRule("v2");
});

test("a file whose folder tells nothing is looked at from time to time", async () => {
  const dir = folder();
  mkdirSync(join(dir, "elsewhere"));
  const real = join(dir, "elsewhere", "policy.yaml");
  writeFileSync(real, policyText("first"));
  mkdirSync(join(dir, "here"));
  symlinkSync(real, join(dir, "here", "policy.yaml"));
  const { expectRule } = await opened(join(dir, "here", "policy.yaml"));

  writeFileSync(real, policyText("second"));

  await expectRule("second");
});

test("a broken change leaves the policy before it in force, and is told once, with the line", async () => {
  const file = join(folder(), "policy.yaml");
  writeFileSync(file, policyText("good"));
  const { rule, news, becomes, expectRule } = await opened(file);

  writeFileSync(file, broken);
  await becomes(() => news.length === 1);

  expect(rule()).toBe("good");
  expect(news[0]).toMatchObject({
    level: BROKEN,
    path: file,
    msg: "the changed policy has problems; keeping the previous one",
    problems: [{ line: 2, sentence: expect.stringContaining("“raed”") }],
  });

  rmSync(file);
  await becomes(() => news.length === 2);
  expect(rule()).toBe("good");

  writeFileSync(file, policyText("mended"));
  await expectRule("mended");
  expect(news.map(({ level }) => level)).toEqual([BROKEN, BROKEN, 30]);
});

test("what is half written is not taken up: only what stays as it is", async () => {
  const file = join(folder(), "policy.yaml");
  writeFileSync(file, policyText("whole"));
  const { news, expectRule } = await opened(file);

  // Each state is good by itself; the next one follows at once, as when an editor writes in pieces.
  for (const piece of ["one", "two", "three"]) writeFileSync(file, policyText(piece));
  await expectRule("three");

  expect(news).toEqual([taken]);
});

test("after it is closed nothing is taken up", async () => {
  const dir = folder();
  const files = ["closed.yaml", "open.yaml"].map((name) => join(dir, name));
  for (const file of files) writeFileSync(file, policyText("first"));
  const [closed, open] = await Promise.all(files.map(async (file) => opened(file)));

  closed?.close();
  for (const file of files) writeFileSync(file, policyText("second"));
  await open?.expectRule("second");

  expect(closed?.rule()).toBe("first");
});

describe("a folder", () => {
  const own = "T0HARBOUR";

  function folderWith(files: Readonly<Record<string, string>>): string {
    const dir = folder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    return dir;
  }

  test("holds a policy for each workspace, and one for those without", async () => {
    const dir = folderWith({ "default.yaml": policyText("for all"), [`${own}.yaml`]: policyText("own") });

    const { current } = await opened(dir);

    expect([current(own), current("T0OTHER"), current()].map(({ rules }) => rules[0]?.name)).toEqual([
      "own",
      "for all",
      "for all",
    ]);
  });

  test("is followed: a file is added, broken, and removed", async () => {
    const dir = folderWith({ "default.yaml": policyText("for all") });
    const { current, news, becomes } = await opened(dir);
    const rule = (): string | undefined => current(own).rules[0]?.name;
    const file = join(dir, `${own}.yaml`);

    writeFileSync(file, policyText("own"));
    await becomes(() => rule() === "own");
    writeFileSync(file, broken);
    await becomes(() => news.at(-1)?.level === BROKEN);
    expect(rule()).toBe("own");
    rmSync(file);
    await becomes(() => rule() === "for all");
  });

  test.each([
    ["without default.yaml", { [`${own}.yaml`]: policyText("own") }, "default.yaml:1: It is missing."],
    [
      "with a file that would hold nowhere",
      { "default.yaml": policyText("for all"), "harbour.yaml": policyText("own") },
      "harbour.yaml:1: Name it default.yaml, or after a workspace's id, like T0123ABCD.yaml.",
    ],
    ["with a broken file", { "default.yaml": policyText("for all"), [`${own}.yaml`]: broken }, `${own}.yaml:2:`],
  ])("%s is refused at the start", async (_what, files, message) => {
    await expect(opened(folderWith(files))).rejects.toThrow(message);
  });
});
