import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inherited } from "../support/gantry-process.ts";
import { until } from "../support/until.ts";

const run = resolve(import.meta.dirname, "run.ts");
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-rig-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Scripts that only write down that they ran. */
function scripts(up: string): void {
  const script = (name: string, lines: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> ${join(folder, "ran")}\n${lines}\n`, {
      mode: 0o755,
    });
  script("up", up);
  script("down", "");
}

function ran(): readonly string[] {
  const path = join(folder, "ran");
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.trim())
    : [];
}

function started(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, [run, ...args], {
    env: { ...inherited, GANTRY_KUBE_RIG_SCRIPTS: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function ended(child: ReturnType<typeof started>) {
  const [said, [code]] = await Promise.all([
    Promise.all([text(child.stdout), text(child.stderr)]),
    once(child, "exit") as Promise<[number | null]>, // Node's event
  ]);
  return { code, said: said.join("") };
}

describe("npm run test:engines", () => {
  test("brings a cluster up, gives it to the tests, and takes it down when they failed", async () => {
    scripts("echo export KUBECONFIG=/nowhere/kubeconfig");

    // No file has such a name, which is a failure.
    const { code, said } = await ended(started(["kubernetes", "--no-node", "no-such-test"]));

    expect(said).toContain("Tests on the cluster of /nowhere/kubeconfig");
    expect(said).toContain("No test files found");
    expect(code).toBe(1);
    expect(ran()).toEqual(["up --no-node", "down"]);
  });

  test("takes down what came up half, and says why", async () => {
    scripts("echo the node is not Ready >&2; exit 1");

    const { code, said } = await ended(started(["kubernetes"]));

    expect(said).toContain("up ended with 1: the node is not Ready");
    expect([code, ran()]).toEqual([1, ["up", "down"]]);
  });

  test("leaves a cluster alone that somebody else brought up", async () => {
    scripts("echo 'already up (process 7): run down first' >&2; exit 1");

    const { code, said } = await ended(started(["kubernetes"]));

    expect(said).toContain("already up");
    expect([code, ran()]).toEqual([1, ["up"]]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("takes it down after %s", async (signal) => {
    scripts("exec sleep 600");
    const child = started(["kubernetes"]);
    await until(() => ran().length === 1);

    child.kill(signal);

    expect(await ended(child)).toMatchObject({ code: 130 });
    expect(ran()).toEqual(["up", "down"]);
  });

  test("uses a cluster that is given, and neither starts nor stops one", async () => {
    scripts("exit 1");

    const { said } = await ended(
      started(["kubernetes", "no-such-test"], { GANTRY_TEST_KUBECONFIG: "/nowhere/of-mine" }),
    );

    expect(said).toContain("Tests on the cluster of /nowhere/of-mine");
    expect(ran()).toEqual([]);
  });

  test("uses a Docker and a Podman that are given, and neither starts nor stops one", async () => {
    const given = { GANTRY_TEST_DOCKER: "unix:///nowhere/docker", GANTRY_TEST_PODMAN: "unix:///nowhere/podman" };

    const { said } = await ended(started(["docker", "podman", "no-such-test"], { ...given, PATH: "/nowhere" }));

    expect(said).toContain("Tests on Docker at unix:///nowhere/docker");
    expect(said).toContain("Tests on Podman at unix:///nowhere/podman");
    expect(said).toContain("No test files found");
  });

  test("says what to set when there is neither a cluster nor a way to one", async () => {
    const { code, said } = await ended(started(["kubernetes"]));

    expect(said).toContain("Set GANTRY_TEST_KUBECONFIG to a kubeconfig");
    expect(said).toContain("GANTRY_KUBE_RIG_SCRIPTS");
    expect(code).toBe(1);
  });

  test.each([
    [[], "Name an engine."],
    [["dokcer"], "There is no engine dokcer."],
    [["docker", "--no-node"], "--no-node is an option of kubernetes."],
  ])("arguments %j are answered with a sentence and the usage", async (args, sentence) => {
    const { code, said } = await ended(started(args));

    expect(said).toContain(sentence);
    expect(said).toContain("npm run test:engines -- kubernetes|docker|podman");
    expect(code).toBe(2);
  });
});
