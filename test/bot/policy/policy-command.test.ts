import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { runToEnd } from "../../support/gantry-runs.ts";

const run = (args: readonly string[], env?: Readonly<Record<string, string>>) => runToEnd("bin/policy.ts", args, env);

function fileOf(text: string): string {
  const dir = mkdtempSync(join(tmpdir(), "gantry-policy-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "policy.yaml");
  writeFileSync(file, text);
  return file;
}

test("check says whether a file can be used, and ends with 2 when it cannot", async () => {
  const good = fileOf("rules:\n  - { name: it, who: members, does: read, then: allow }\n");
  const bad = fileOf("rules:\n  - { name: it, who: member, does: read, then: allow }\n");

  const [built, named, byEnvironment, wrong] = await Promise.all([
    run(["check"]),
    run(["check", good]),
    run(["check"], { GANTRY_POLICY: good }),
    run(["check", bad]),
  ]);

  expect(built).toEqual({ code: 0, out: "the built-in policy is valid: 4 rules.\n", err: "" });
  expect(named).toEqual({ code: 0, out: `${good} is valid: 1 rule.\n`, err: "" });
  expect(byEnvironment).toEqual(named);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain(
    `${bad}:2: rule “it”, who: “member” isn't a valid person or group. Did you mean “members”?`,
  );
});

test("check and explain read the policy that the bot reads, also when .env names it", async () => {
  const policy = fileOf("rules:\n  - { name: it, who: members, does: read, then: allow }\n");
  const env = { GANTRY_ENV_FILE: fileOf(`GANTRY_POLICY=${policy}\n`) };

  const [checked, explained] = await Promise.all([
    run(["check"], env),
    run(["explain", "--op", "restartService", "--name", "web"], env),
  ]);

  expect(checked).toEqual({ code: 0, out: `${policy} is valid: 1 rule.\n`, err: "" });
  expect(explained.code).toBe(1);
  expect(explained.out).toContain("No. You can't restart “web”: no policy rule allows it.");
});

test("check reads every file of a folder with a policy for each workspace; explain needs one of them", async () => {
  const byDefault = fileOf("rules:\n  - { name: it, who: members, does: read, then: allow }\n");
  const folder = dirname(byDefault);
  renameSync(byDefault, join(folder, "default.yaml"));
  const shop = join(folder, "T0123SHOP.yaml");
  writeFileSync(shop, "rules:\n  - { name: it, who: members, does: anything, then: allow }\n");

  const valid = await run(["check"], { GANTRY_POLICY: folder });
  const explained = await run(["explain", "--op", "getService", "--name", "web"], { GANTRY_POLICY: folder });
  writeFileSync(shop, "rules:\n  - { name: it, who: members, does: all, then: allow }\n");
  const broken = await run(["check", folder]);

  expect(valid).toEqual({
    code: 0,
    out: `${shop} is valid: 1 rule.\n${join(folder, "default.yaml")} is valid: 1 rule.\n`,
    err: "",
  });
  expect(explained.code).toBe(2);
  expect(explained.err).toContain(
    `${folder} is a folder. Name the file of one workspace, such as ${join(folder, "default.yaml")}.`,
  );
  expect(broken.code).toBe(2);
  expect(broken.err).toContain(`${shop}:2: rule “it”, does: “all” isn't a valid action.`);
});

test("check warns about a rule that is for one region and misses the jobs, which run in another", async () => {
  const rule = (more: string) =>
    `  - { name: "${more}", who: members, does: destructive, workloads: { ${more} }, then: refuse }`;
  const whole = [
    "region: beijing1",
    "region: [beijing1, us]",
    "region: beijing1, kind: service",
    "region: u*",
    "name: a",
  ];
  const file = fileOf(`rules:\n${[...whole, "region: eu, kind: job"].map(rule).join("\n")}\n`);
  const warned = (line: number, name: string, regions: string, wanted: string) =>
    `Warning: ${file}:${line}: rule “${name}” never matches jobs: it is for region ${regions}. The rules below it decide about them. ${wanted}, or write kind: service if only services are meant.\n`;

  const [here, elsewhere] = await Promise.all([
    run(["check", file]),
    run(["check", file], { WORKLOAD_JOBS_REGION: "eu" }),
  ]);

  expect(here).toEqual({
    code: 0,
    out: [
      `${file} is valid: 6 rules.\n`,
      warned(2, "region: beijing1", "beijing1, and jobs run in us", "Add us to region"),
      warned(7, "region: eu, kind: job", "eu, and jobs run in us", "Use region: us"),
    ].join(""),
    err: "",
  });
  expect(elsewhere.out.match(/Warning: .*?:\d+/gu)).toEqual([2, 3, 5].map((line) => `Warning: ${file}:${line}`));
});

test("explain tells how the answer is found, and ends with 1 when it is no", async () => {
  const [yes, no] = await Promise.all([
    run("explain --as U0DANA --in C0OPS --op deleteService --name web --region beijing1".split(" ")),
    run("explain --standing guest --op getService --name web".split(" ")),
  ]);

  expect(yes.code).toBe(0);
  expect(yes.out).toMatchInlineSnapshot(`
    "May U0DANA, a full member, delete service “web” (destructive) in channel C0OPS, region beijing1?
    By the built-in policy:
    1. “read access” (line 4, allow): doesn't match
       does: the rule is for read; this is to delete service “web” (destructive)
    2. “routine changes” (line 9, allow): doesn't match
       does: the rule is for routine; this is to delete service “web” (destructive)
    3. “big steps” (line 16, approve): doesn't match
       does: the rule is for routine; this is to delete service “web” (destructive)
    4. “disruptive changes” (line 25, approve): decides
    Yes, with 1 approval from full members of the channel, within 1 hour; the requester can't approve.
    "
  `);
  expect(no.code).toBe(1);
  expect(no.out).toContain("No. You can't look at “web”: no policy rule allows it for guests.");
});

test("what cannot be a question ends with 2 and the usage", async () => {
  const ends = await Promise.all(
    ["", "chek", "explain", "explain --op delete", "explain --op getJob --wat", "check a b"].map(async (words) =>
      run(words === "" ? [] : words.split(" ")),
    ),
  );

  expect(ends.map(({ code, err }) => `${code} ${err.split("\n")[0]}`).join("\n")).toMatchInlineSnapshot(`
    "2 Use check, explain, print or watches.
    2 Unknown command “chek”. Use check, explain, print or watches.
    2 --op is missing. Add an operation, such as --op deleteService.
    2 Unknown operation “delete”. Did you mean “deleteJob” or “deleteService”? Operations: listServices, listJobs, getService, getJob, getServiceLogs, getJobInstanceLogs, createService, createJob, deleteService, deleteJob, updateService, deploy, startService, stopService, restartService, bindChannel, watch.
    2 Unknown option '--wat'. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "--wat"
    2 Unexpected argument “b”."
  `);
});

test("a file that can't be read is one sentence, without the usage", async () => {
  const folder = dirname(fileOf("rules: []\n"));

  const ends = await Promise.all([
    run(["explain", "/no/such/file", "--op", "getService"]),
    run(["check"], { GANTRY_POLICY: "/no/such/file" }),
    run(["check", "x".repeat(300)]),
    run(["watches", folder]),
    run(["explain", folder, "--op", "getService"]),
  ]);

  const advice = "Correct the path, or make the file readable.\n";
  expect(ends.map(({ err }) => err)).toEqual([
    `Couldn't read /no/such/file: there is no such file (ENOENT). ${advice}`,
    `Couldn't read /no/such/file: there is no such file (ENOENT). ${advice}`,
    expect.stringMatching(/^Couldn't read x+: ENAMETOOLONG/u),
    `Couldn't read ${folder}: it is a folder (EISDIR). ${advice}`,
    `${folder} is a folder. Name the file of one workspace, such as ${join(folder, "default.yaml")}.\n`,
  ]);
  expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
});

test("print shows the built-in policy", async () => {
  expect(await run(["print"])).toEqual({ code: 0, out: defaultPolicyText, err: "" });
});
