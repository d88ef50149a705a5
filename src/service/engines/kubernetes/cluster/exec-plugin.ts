import { type ChildProcess, spawn } from "node:child_process";
import type { KubeConfig } from "@kubernetes/client-node";
import { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import { jsonIn } from "../../../../platform/optional.ts";
import { NoCredentials } from "./kube-api.ts";

/**
 * A program of a kubeconfig that prints credentials, run as kubectl runs it. The one of @kubernetes/client-node tells it
 * nothing, waits for ever, and prints whatever it printed.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
type ExecPlugin = {
  readonly type: "exec plugin";
  /** Those of the last run until they expire. One run serves everybody who waits. Rejects with `NoCredentials`. */
  readonly credentials: () => Promise<Credentials>;
  /** The API server refused these: the next call runs the program again, if nobody did since. */
  readonly refused: (credentials: Credentials) => void;
};

type Credentials = {
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** In milliseconds since 1970; Infinity if they hold until they are refused. */
  readonly expiresAt: number;
};

/** `exec` of a user in a kubeconfig. */
export const Exec = z.object({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
  interactiveMode: z.string().nullish(),
});
export type Exec = z.output<typeof Exec>;

/** Older ones were removed with Kubernetes 1.24. */
const API_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** Why Gantry can't run a plugin, as a clause; undefined if it can. */
export function wrongExec({ apiVersion, command, interactiveMode }: Exec): string | undefined {
  if (interactiveMode === "Always") {
    return `the exec plugin ${command} has interactiveMode Always, and Gantry has no terminal: set it to IfAvailable or Never, or use another user`;
  }
  if (API_VERSIONS.includes(apiVersion)) return undefined;
  return `the exec plugin ${command} has the apiVersion ${apiVersion}: Gantry and kubectl know ${API_VERSIONS.join(" and ")}. Update the plugin`;
}

type ExecPluginOptions = {
  /** Its command is a path, or a name that is looked up in PATH. */
  readonly exec: Exec;
  /** `spec.cluster` of KUBERNETES_EXEC_INFO, for a plugin that asks for it. */
  readonly cluster: object;
  /** The environment of this process: kubectl gives a plugin its own. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Pick<Clock, "now" | "after">;
};

/** The program may take so long. */
const TIMEOUT_MS = 30_000;
/** What it started may outlive it and keep its output open. */
const CLOSE_WITHIN_MS = 1_000;

/** The plugin of the current user, which `kubeConfigOf` put there. */
export function execPluginOf(kubeConfig: Pick<KubeConfig, "getCurrentUser">): ExecPlugin | undefined {
  const provider: unknown = kubeConfig.getCurrentUser()?.authProvider;
  const plugin = provider as ExecPlugin | null | undefined; // any other one has no such type
  return plugin?.type === "exec plugin" ? plugin : undefined;
}

export function makeExecPlugin(options: ExecPluginOptions): ExecPlugin {
  const { exec, clock } = options;
  let last: Credentials | undefined;
  let running: Promise<Credentials> | undefined;

  async function run(): Promise<Credentials> {
    try {
      last = read(exec, await printed(options, last?.token));
      return last;
    } finally {
      running = undefined;
    }
  }

  return {
    type: "exec plugin",
    credentials() {
      if (last && last.expiresAt > clock.now().getTime()) return Promise.resolve(last);
      return (running ??= run());
    },
    refused(credentials) {
      if (last === credentials) last = { ...last, expiresAt: 0 };
    },
  };
}

/** What the program printed. Waits without blocking anything else. */
async function printed(options: ExecPluginOptions, lastToken: string | undefined): Promise<string> {
  const { exec, clock } = options;
  const child = started(options);
  const out = collected(child.stdout);
  const err = collected(child.stderr);
  const { promise: ended, resolve, reject } = Promise.withResolvers<string | undefined>();
  child.on("error", (error) => reject(notStarted(exec, error)));
  let late: string | undefined;
  child.on("close", (code, signal) => {
    resolve(
      late ?? (code === 0 ? undefined : code === null ? `was ended by ${signal}` : `failed with exit code ${code}`),
    );
  });
  let timer = clock.after(TIMEOUT_MS, () => {
    late = `didn't end in ${TIMEOUT_MS / 1_000} s`;
    endGroup(child);
    timer = clock.after(CLOSE_WITHIN_MS, () => resolve(late));
  });
  try {
    const failure = await ended;
    if (failure === undefined) return out();
    const newToken = /"token"\s*:\s*"([^"]{4,})"/u.exec(out())?.[1];
    throw new NoCredentials(`the exec plugin ${exec.command} ${failure}${errorOutput(err(), [lastToken, newToken])}`);
  } finally {
    timer.cancel();
  }
}

function started({ exec, cluster, env }: ExecPluginOptions) {
  const { apiVersion, command, args, provideClusterInfo } = exec;
  const spec = { ...(provideClusterInfo === true && { cluster }), interactive: false };
  return spawn(command, args ?? [], {
    // Of its own group: no terminal to ask on, and it ends with all that it started.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...env,
      ...Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify({ kind: "ExecCredential", apiVersion, spec }),
    },
  });
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Longer than any credentials. */
const MOST = 1024 * 1024;

function collected(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    if (text.length < MOST) text += chunk;
  });
  stream.on("error", () => undefined);
  return () => text;
}

function notStarted({ command, installHint }: Exec, error: NodeJS.ErrnoException): NoCredentials {
  if (error.code !== "ENOENT") return new NoCredentials(`the exec plugin ${command} can't be run: ${error.message}`);
  const where = command.includes("/") ? "isn't there" : "isn't installed, or not in PATH";
  const hint = oneLine(installHint ?? "");
  return new NoCredentials(`the exec plugin ${command} ${where}${hint === "" ? "" : `. ${hint}`}`);
}

/** The end of the plugin's error output, after a colon. */
function errorOutput(text: string, secrets: readonly (string | undefined)[]): string {
  const words = withoutSecrets(oneLine(text), secrets);
  return words === "" ? "" : `: ${words.length > 500 ? `… ${words.slice(-500)}` : words}`;
}

/** Colours and other orders to a terminal: https://en.wikipedia.org/wiki/ANSI_escape_code#CSIsection */
const ESCAPES = /\p{Cc}\[[0-?]*[ -/]*[@-~]/gu;

function oneLine(text: string): string {
  return text
    .replaceAll(ESCAPES, "")
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

const HIDDEN = "[hidden]";

/** A plugin may repeat a token in its error: known ones, and words that look like one, stay here. */
function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const hidden = secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, HIDDEN) : rest), text);
  return hidden
    .replaceAll(/\beyJ[\w-]+\.[\w.-]+/gu, HIDDEN)
    .replaceAll(/[A-Za-z0-9+_=~-]{32,}/gu, (word) => (/\d/u.test(word) && /[A-Za-z]/u.test(word) ? HIDDEN : word));
}

const ExecCredential = z.object({
  apiVersion: z.string(),
  kind: z.literal("ExecCredential"),
  status: z.object({
    token: z.string().nullish(),
    clientCertificateData: z.string().nullish(),
    clientKeyData: z.string().nullish(),
    expirationTimestamp: z.iso.datetime({ offset: true }).nullish(),
  }),
});

/** Errors of a parser quote what they read, and that is the token. */
function read({ command, apiVersion }: Exec, output: string): Credentials {
  const wrong = (why: string): NoCredentials => new NoCredentials(`the exec plugin ${command} printed ${why}`);
  const parsed = ExecCredential.safeParse(jsonIn(output));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") ?? "";
    throw wrong(where === "" ? "no ExecCredential in JSON" : `an ExecCredential with a wrong ${where}`);
  }
  if (parsed.data.apiVersion !== apiVersion) {
    throw wrong(`credentials of ${parsed.data.apiVersion}, but the kubeconfig says ${apiVersion}`);
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status;
  if (!clientCertificateData !== !clientKeyData) throw wrong("a certificate without its key, or a key without its own");
  if (!token && !clientCertificateData) throw wrong("neither a token nor a certificate");
  return {
    token: token || undefined,
    certificate: clientCertificateData || undefined,
    key: clientKeyData || undefined,
    expiresAt: expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY,
  };
}
