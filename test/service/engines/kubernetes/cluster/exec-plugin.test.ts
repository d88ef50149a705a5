import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { kubeConfigOf } from "../../../../../src/service/engines/kubernetes/cluster/connect.ts";
import { type Exec, makeExecPlugin } from "../../../../../src/service/engines/kubernetes/cluster/exec-plugin.ts";
import { KubeError, NoCredentials } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { refusalOf } from "../../../../../src/service/engines/kubernetes/cluster/refusal-of.ts";
import { until } from "../../../../support/until.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const API = "client.authentication.k8s.io/v1";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-plugin-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A program in `bin` of the folder. Each run adds a line to the file `runs`. */
function script(folder: string, lines: string): string {
  const path = join(folder, "bin", "login");
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho run >> '${folder}/runs'\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

function runsIn(folder: string): number {
  return existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").split("\n").length - 1 : 0;
}

/** A shell command that prints credentials. */
function prints(status: object, apiVersion = API): string {
  return `echo '${JSON.stringify({ apiVersion, kind: "ExecCredential", status })}'`;
}

type Written = { readonly server: string; readonly exec: object; readonly cluster?: object };

function kubeconfigIn(folder: string, { server, exec, cluster = {} }: Written): { readonly path: string } {
  const path = join(folder, "config");
  const config = {
    clusters: [{ name: "c", cluster: { server, ...cluster } }],
    users: [{ name: "u", user: { exec: { apiVersion: API, interactiveMode: "IfAvailable", ...exec } } }],
    contexts: [{ name: "prod", context: { cluster: "c", user: "u" } }],
    "current-context": "prod",
  };
  writeFileSync(path, JSON.stringify(config));
  return { path };
}

/** A client of a fake API server, which wants `ada-token`, with the program of a kubeconfig. */
async function clientWith(lines: string, more: { readonly exec?: object; readonly cluster?: object } = {}) {
  const folder = newFolder();
  const server = await openFakeApiServer();
  const address = server.kubeConfig().getCurrentCluster()?.server ?? "";
  const clock = stillClock();
  script(folder, lines.replaceAll("FOLDER", folder));
  const kubeconfig = kubeconfigIn(folder, {
    server: address,
    ...more,
    exec: { command: "bin/login", ...more.exec },
  });
  const api = makeKubeClient({ kubeConfig: await kubeConfigOf({ kubeconfig, context: undefined }, clock), clock });
  onTestFinished(async () => {
    api.close();
    await server.stop();
  });
  const list = () => api.list({ kind: "Pod", namespace: "shop" }, {});
  return { folder, address, list, runs: () => runsIn(folder), server };
}

function pluginWith(lines: string, more: Partial<Exec> = {}) {
  const clock = stillClock(new Date("2026-11-24T10:00:00Z"));
  const folder = newFolder();
  const command = script(folder, lines.replaceAll("FOLDER", folder));
  const exec = { apiVersion: API, command, ...more };
  return { folder, command, clock, plugin: makeExecPlugin({ exec, cluster: {}, env: process.env, clock }) };
}

test("a program beside the kubeconfig gets what kubectl gives it, and its token is used until it is refused", async () => {
  const cluster = {
    "certificate-authority-data": "Q0E=",
    "tls-server-name": "kube.example",
    extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "shop" } }],
  };
  const { folder, address, list, runs } = await clientWith(
    `printf '%s' "$KUBERNETES_EXEC_INFO" > FOLDER/info; printf '%s' "$1 $PROFILE" > FOLDER/said; ${prints({ token: "ada-token" })}`,
    { exec: { args: ["get-token"], env: [{ name: "PROFILE", value: "prod" }], provideClusterInfo: true }, cluster },
  );

  await Promise.all([list(), list(), list()]);
  await list();

  expect(runs()).toBe(1);
  expect(readFileSync(join(folder, "said"), "utf8")).toBe("get-token prod");
  expect(JSON.parse(readFileSync(join(folder, "info"), "utf8"))).toEqual({
    apiVersion: API,
    kind: "ExecCredential",
    spec: {
      interactive: false,
      cluster: {
        server: address,
        "tls-server-name": "kube.example",
        "insecure-skip-tls-verify": true,
        "certificate-authority-data": "Q0E=",
        config: { audience: "shop" },
      },
    },
  });
});

test("a program that didn't ask for the cluster isn't told about it, and a bare name is looked up in PATH", async () => {
  const { list, folder } = await clientWith("exit 9", {
    exec: {
      command: "sh",
      args: ["-c", `printf '%s' "$KUBERNETES_EXEC_INFO" > "$0/info"; ${prints({ token: "ada-token" })}`, newFolder()],
    },
  });

  await list();

  expect(runsIn(folder)).toBe(0);
});

test("nothing else waits while the program runs", async () => {
  const { plugin, folder } = pluginWith(
    `while [ ! -e FOLDER/go ]; do sleep 0.05; done; ${prints({ token: "ada-token" })}`,
  );

  const credentials = plugin.credentials();
  await until(() => runsIn(folder) === 1);
  // A call that blocked this process would never get here.
  writeFileSync(join(folder, "go"), "");

  await expect(credentials).resolves.toMatchObject({ token: "ada-token" });
});

test("a program that hangs is ended with all that it started, and is named", async () => {
  const { plugin, command, folder, clock } = pluginWith(
    `sleep 600 & echo $! > FOLDER/child; echo 'waiting for a browser' >&2; touch FOLDER/waits; wait`,
  );
  const refused = plugin.credentials().catch((error: unknown) => error);
  await until(() => existsSync(join(folder, "waits")));

  await clock.passMs(30_000);

  expect(await refused).toMatchObject({
    message: `the exec plugin ${command} didn't end in 30 s: waiting for a browser`,
  });
  const child = Number(readFileSync(join(folder, "child"), "utf8"));
  await until(() => !isRunning(child));
});

test.runIf(process.platform === "linux")(
  "a program that hangs is named in time also when something that it started keeps its output open",
  async () => {
    const { plugin, folder, clock } = pluginWith(
      `setsid sh -c 'echo $$ > FOLDER/child; touch FOLDER/waits; exec sleep 600' & wait`,
    );
    const refused = plugin.credentials().catch((error: unknown) => error);
    await until(() => existsSync(join(folder, "waits")));
    using _ended = killed(Number(readFileSync(join(folder, "child"), "utf8")));

    await clock.passMs(31_000);

    expect(await refused).toMatchObject({ message: expect.stringContaining("didn't end in 30 s") });
  },
);

/** Kills the process at the end of the test. */
function killed(pid: number): Disposable {
  return { [Symbol.dispose]: () => process.kill(pid, "SIGKILL") };
}

/** A killed process that nobody has waited for still has its id. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
  return !/\) Z /u.test(state);
}

test("stdin is closed, so that a program can't wait for somebody to type", async () => {
  const { plugin } = pluginWith(`read -r answer && exit 3; ${prints({ token: "ada-token" })}`);

  await expect(plugin.credentials()).resolves.toMatchObject({ token: "ada-token" });
});

test("a program that fails is quoted on one line, without a token", async () => {
  const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1In0.c2lnbmF0dXJl";
  const { plugin, command } = pluginWith(
    `echo '{"token": "short-secret"'; printf 'Session of short-secret has \\033[31mexpired\\033[0m.\\n${jwt}\\nRun: aws sso login\\n' >&2; exit 255`,
  );

  await expect(plugin.credentials()).rejects.toThrow(
    `the exec plugin ${command} failed with exit code 255: Session of [hidden] has expired. [hidden] Run: aws sso login`,
  );
});

test.each([
  ["no JSON", "echo 'k8s-aws-v1.secret'", "printed no ExecCredential in JSON"],
  ["another version", prints({ token: "secret" }, "client.authentication.k8s.io/v1beta1"), "printed credentials of"],
  ["no status", `echo '{"apiVersion": "${API}", "kind": "ExecCredential"}'`, "with a wrong status"],
  ["no credentials", prints({}), "neither a token nor a certificate"],
  ["half a certificate", prints({ clientCertificateData: "secret" }), "a certificate without its key"],
  ["a time that is none", prints({ token: "secret", expirationTimestamp: "soon" }), "wrong status.expirationTimestamp"],
])("output with %s is said without quoting it", async (_, lines, sentence) => {
  const { plugin } = pluginWith(lines);

  const error = await plugin.credentials().catch((error: unknown) => error);

  expect(error).toBeInstanceOf(NoCredentials);
  expect((error as NoCredentials).message).toContain(sentence);
  expect((error as NoCredentials).message).not.toContain("secret");
});

test("a program that isn't there is named with what its kubeconfig says about installing it", async () => {
  const exec = { apiVersion: API, command: "gantry-no-such-plugin", installHint: "Install it with\nbrew install it." };
  const plugin = makeExecPlugin({ exec, cluster: {}, env: process.env, clock: stillClock() });

  await expect(plugin.credentials()).rejects.toThrow(
    "the exec plugin gantry-no-such-plugin isn't installed, or not in PATH. Install it with brew install it.",
  );
});

test("credentials are renewed when they have expired, and not before", async () => {
  const { plugin, folder, clock } = pluginWith(
    prints({ token: "ada-token", expirationTimestamp: "2026-11-24T10:15:00Z" }),
  );

  await plugin.credentials();
  await clock.passMs((14 * 60 + 59) * 1_000);
  await plugin.credentials();
  expect(runsIn(folder)).toBe(1);
  await clock.passMs(1_000);
  await plugin.credentials();

  expect(runsIn(folder)).toBe(2);
});

test("with several files in KUBECONFIG, a relative command starts at the file of its user", async () => {
  const [one, two] = [newFolder(), newFolder()];
  script(two, prints({ token: "of the second file" }));
  const { path: users } = kubeconfigIn(two, { server: "https://unused.example", exec: { command: "./bin/login" } });
  const rest = {
    clusters: [{ name: "shop", cluster: { server: "https://kube.example" } }],
    contexts: [{ name: "shop", context: { cluster: "shop", user: "u" } }],
  };
  writeFileSync(join(one, "config"), JSON.stringify(rest));
  vi.stubEnv("KUBECONFIG", [join(one, "config"), users].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  const config = await kubeConfigOf({ kubeconfig: "default", context: "shop" }, stillClock());
  const options = { headers: {} };

  await config.applyToHTTPSOptions(options);

  expect(options.headers).toEqual({ Authorization: "Bearer of the second file" });
});

test("a program may print a certificate with its key instead of a token", async () => {
  const folder = newFolder();
  script(folder, prints({ clientCertificateData: "a certificate", clientKeyData: "its key" }));
  const kubeconfig = kubeconfigIn(folder, { server: "https://kube.example", exec: { command: "./bin/login" } });
  const config = await kubeConfigOf({ kubeconfig, context: undefined }, stillClock());
  const options = {};

  await config.applyToHTTPSOptions(options);

  expect(options).toMatchObject({ cert: "a certificate", key: "its key" });
});

test("a token that the API server doesn't accept any more is renewed once, and the request is sent again", async () => {
  const { list, runs, server } = await clientWith(
    `if [ "$(wc -l < FOLDER/runs)" -gt 1 ]; then ${prints({ token: "ada-token" })}; else ${prints({ token: "old" })}; fi`,
  );

  await expect(list()).resolves.toMatchObject({ items: [] });
  await list();

  expect(runs()).toBe(2);
  expect(server.requests).toHaveLength(3);
});

test("a token that is never accepted is an error after one renewal", async () => {
  const { list, runs, server } = await clientWith(prints({ token: "wrong" }));

  await expect(list()).rejects.toMatchObject({ name: "KubeError", status: 401 });

  expect([runs(), server.requests.length]).toEqual([2, 2]);
  await expect(list()).rejects.toBeInstanceOf(KubeError);
});

test("a change for which there are no credentials was never sent, and is told so", () => {
  const error = new NoCredentials("the exec plugin aws failed with exit code 255: run aws sso login.");

  expect(refusalOf(error, { doing: "scale the service web", wrote: true }).message).toBe(
    "Couldn't scale the service web: Gantry has no credentials for the cluster: the exec plugin aws failed with exit code " +
      "255: run aws sso login. Nothing was changed. Log in again where Gantry runs, or correct the kubeconfig of this region.",
  );
});

test.each([
  ["needs a terminal", { command: "login", interactiveMode: "Always" }, "and Gantry has no terminal"],
  [
    "is of an old version",
    { command: "login", apiVersion: "client.authentication.k8s.io/v1alpha1" },
    "Update the plugin",
  ],
  ["has no command", { command: "" }, "check exec.command"],
])("a program that %s stops the start", async (_, exec, sentence) => {
  const kubeconfig = kubeconfigIn(newFolder(), { server: "https://kube.example", exec });

  await expect(kubeConfigOf({ kubeconfig, context: undefined }, stillClock())).rejects.toThrow(sentence);
});
