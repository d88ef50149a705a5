import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { programs } from "../../src/bin/programs.ts";
import { version } from "../../src/platform/version.ts";
import { runToEnd } from "../support/gantry-runs.ts";

const program = resolve(import.meta.dirname, "../../src/gantry.js");
const gantry = (words: readonly string[], env?: Readonly<Record<string, string>>) => runToEnd("main.ts", words, env);

test("gantry --help names every command, and each of them has help", async () => {
  const { code, out } = await gantry(["--help"]);
  expect(code).toBe(0);
  const names = Object.keys(programs);
  expect(names.filter((name) => !new RegExp(`^  ${name} `, "mu").test(out))).toEqual([]);

  const told = await Promise.all(names.map((name) => gantry([name, "--help"])));
  expect(told.map(({ code, err }) => ({ code, err }))).toEqual(names.map(() => ({ code: 0, err: "" })));
  expect(told.map(({ out }, at) => out.startsWith(`Usage: gantry ${names[at]}`))).toEqual(names.map(() => true));
});

test("the version is told by gantry and by each command", async () => {
  for (const words of [["--version"], ["doctor", "--version"], ["start", "--version"]]) {
    expect(await gantry(words)).toEqual({ code: 0, out: `${version}\n`, err: "" });
  }
});

test.each([
  [["doktor"], "gantry has no command “doktor”. Did you mean doctor? Nothing was started."],
  [["constructor"], "gantry has no command “constructor”. Nothing was started."],
  [["start", "--port", "80"], "gantry start takes no options. Remove --port. Nothing was started."],
  [["--port"], "gantry start takes no options. Remove --port. Nothing was started."],
  [["service", "foo"], "gantry service takes no options. Remove foo. Nothing was started."],
  [["doctor", "foo"], "Unexpected argument “foo”."],
  [["doctor", "--foo"], "Unknown option '--foo'."],
  [["audit", "--foo"], "Unknown option '--foo'."],
  [["keys", "--foo"], "Unknown option '--foo'."],
])("%j starts nothing and says what to type", async (words, sentence) => {
  const { code, out, err } = await gantry(words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err.split("\n")[0]).toBe(sentence);
});

test("a start that finds everything compiled doesn't load the compiler", async () => {
  const told = `process.on("exit", () => console.log(process.moduleLoadList.some((name) => name.includes("amaro"))))`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(told)}`, program, "--version"];
  // Without a folder that Node itself would use from the start.
  const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: "" };
  const start = () => promisify(execFile)(process.execPath, args, { env });

  await start();
  const { stdout } = await start();

  expect(stdout).toBe(`${version}\nfalse\n`);
});

test("an older Node is told where the right one is, instead of a syntax error", async () => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, program, "--version"];
  const ended = promisify(execFile)(process.execPath, args);

  await expect(ended).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/this is Node 20\.20\.2\. Nothing was started\.\n.*use npm start/u),
  });
});

test("Node 14.0 can read the entry, and so say that it is too old", () => {
  const text = readFileSync(program, "utf8");

  expect(text).toMatch(/^async function/mu);
  expect(text).not.toMatch(/^(?:import|export|await)\b|^\} else \{\n\s+await/mu);
});

test("a variable of the environment wins over one that .env cuts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gantry-cut-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "vars");
  writeFileSync(file, "WORKLOAD_API_TOKEN=abc#def\n");

  const { err } = await gantry(["policy", "check"], { GANTRY_ENV_FILE: file, WORKLOAD_API_TOKEN: "abc#def" });

  expect(err).not.toContain("WORKLOAD_API_TOKEN");
});

test("a command gets its options, and its help says what was typed", async () => {
  expect((await gantry(["policy", "print"])).out).toContain("rules:");
  expect((await gantry(["policy", "--help"], { npm_lifecycle_event: "policy" })).out).toMatch(
    /^Usage: npm run policy -- check/u,
  );
});

test("help names another program as this one was called", async () => {
  const [plain, byNpm] = await Promise.all([
    gantry(["restore", "--help"]),
    gantry(["restore", "--help"], { npm_lifecycle_event: "restore" }),
  ]);

  expect(plain.out).toContain("a file that gantry backup wrote");
  expect(byNpm.out).toContain("a file that npm run backup wrote");
});

test.each([["start"], ["doctor"], ["audit", "verify"], ["keys", "list"], ["service"], ["say", "hello"]])(
  "a file of variables that can't be read is named in a sentence: %j",
  async (...words) => {
    const { err } = await gantry(words, { GANTRY_ENV_FILE: import.meta.dirname });

    expect(err).toMatch(/^Couldn't read the variables in \S+\/test\/bin: [^\n]+\. Check GANTRY_ENV_FILE\.\n$/u);
  },
);

test.each([["start"], ["doctor"], ["service"]])(
  "a token that is cut at its # is named before anything starts: %j",
  async (word) => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-cut-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "vars");
    writeFileSync(file, "WORKLOAD_API_TOKEN=abc#def\nOTHER_TOKEN=abc#def\n");

    const { code, out, err } = await gantry([word], { GANTRY_ENV_FILE: file });

    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/ has a # in the value of WORKLOAD_API_TOKEN\. [^\n]+single quotes[^\n]+\n$/u);
    expect(err).not.toContain("abc");
  },
);
