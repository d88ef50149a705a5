import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { withoutTime } from "../support/engine-world.ts";
import { findImage, makeCatalogue, PROGRAMS } from "../../../../../src/service/engines/process/catalogue.ts";

/** Runs a program of the catalogue as a person would, until it ends or has said `enough` lines. */
async function run(image: string, args: readonly string[], enough = Infinity) {
  const child = spawn(process.execPath, [PROGRAMS, image.replace("gantry/", ""), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    if (output.split("\n").length > enough) child.kill("SIGTERM");
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, lines: output.trimEnd().split("\n") };
}

const usages: Readonly<Record<string, string>> = {
  "gantry/batch": "[STEPS] [--exit CODE] [--delay MS] [--fail-first N]",
  "gantry/worker": "[--every MS]",
  "gantry/flaky": "[--after MS] [--exit CODE], or AFTER_MS in the environment",
  "gantry/hello-web": "[--greeting TEXT] [--heartbeat MS]",
};

test.each([
  ["gantry/batch", ["many"], 'STEPS takes a number, not "many"'],
  ["gantry/batch", ["1", "--exit", "256"], "--exit takes a number from 0 to 255"],
  ["gantry/batch", ["1", "2"], "one number of steps, not 2"],
  ["gantry/worker", ["--every", "0"], "--every takes a number of milliseconds"],
  ["gantry/flaky", ["--after", "soon"], "--after takes a number of milliseconds"],
  ["gantry/hello-web", ["--heartbeat", "1.5"], "--heartbeat takes a number of milliseconds"],
])("%s %j says what is wrong and how it is used, and exits with 2", async (image, args, complaint) => {
  const { code, lines } = await run(image, args);

  expect({ code, lines }).toEqual({ code: 2, lines: [complaint, `usage: ${usages[image] ?? ""}`] });
});

test("the worker logs like real programs do, and stops when it is asked to", async () => {
  const { code, lines } = await run("gantry/worker", ["--every", "1"], 150);

  const begun = lines.filter((line) => !line.startsWith("    at "));
  expect(begun.map((line) => Number.isNaN(Date.parse(line.slice(0, 24))))).toEqual(begun.map(() => false));
  const text = lines.map(withoutTime).join("\n");
  expect(code).toBe(0);
  expect(text).toMatch(/^INFO worker started\nINFO item 1 done in \d+ ms\n/);
  expect(text).toContain("WARN item 5 took a second attempt");
  expect(text).toMatch(/ERROR item 7 was given up: Error: the queue answered 502 for item 7\n {4}at /);
  expect(text).toContain("aws_access_key_id=AKIAIOSFODNN7EXAMPLE");
  expect(text).toContain("Authorization: Bearer not-a-real-token");
  expect(text).toContain("password=not-a-real-password-1");
  expect(text).toMatch(/\nINFO stopping after \d+ items$/);
});

test.each(["gantry/batch", "gantry/batch:1", "gantry/batch@sha256:0123"])("the image %s is found", (image) => {
  expect(findImage(makeCatalogue(false), image)).toBe("gantry/batch");
});

test("a program that isn't there doesn't end well", async () => {
  expect(await run("gantry/nothing", [])).toMatchObject({ code: 1 });
});
