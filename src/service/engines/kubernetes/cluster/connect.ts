import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { Cluster, KubeConfig, User } from "@kubernetes/client-node";
import { parse } from "yaml";
import { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { KubeApi } from "./kube-api.ts";
import { Exec, makeExecPlugin, wrongExec } from "./exec-plugin.ts";
import { makeKubeClient } from "./kube-client.ts";

/** The kubeconfig of a cluster with its context chosen. Throws an Error with a sentence that says what was tried. */
export async function kubeConfigOf(
  { kubeconfig, context }: Pick<ClusterConfig, "kubeconfig" | "context">,
  clock: Clock,
): Promise<KubeConfig> {
  // Imported late: it takes a third of a second and 85 MB, which a start without Kubernetes needn't spend.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const name = typeof kubeconfig === "string" ? "the kubeconfig" : `the kubeconfig ${kubeconfig.path}`;
  if (kubeconfig === "in-cluster") config.loadFromCluster();
  else if (kubeconfig === "default") readable(name, () => config.loadFromDefault());
  else readable(name, () => config.loadFromFile(kubeconfig.path));
  if (context !== undefined) {
    if (!config.getContextObject(context)) {
      const known = config.getContexts().map((each) => each.name);
      throw new Error(`${name} has no context ${context}: it has ${known.join(", ") || "none"}`);
    }
    config.setCurrentContext(context);
  }
  refuseMadeUp(config);
  if (!config.getCurrentCluster()) throw new Error(`${name} has no current context: set one`);
  refuseUnknownUser(name, config);
  refuseUnsafe(name, config);
  refuseAuthProvider(name, config);
  // The files that @kubernetes/client-node reads by default.
  const listed = (process.env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const files = listed.length > 0 ? listed : [join(homedir(), ".kube", "config")];
  usePlugin(config, { name, files: typeof kubeconfig === "string" ? files : [kubeconfig.path], clock });
  return config;
}

/** A token that is sent over HTTP can be read on the way. `kubectl proxy` on this machine sends its own. */
function refuseUnsafe(name: string, config: KubeConfig): void {
  const { clusters } = config;
  const cluster = config.getCurrentCluster();
  if (!cluster || !/^http:/iu.test(cluster.server)) return;
  const { hostname } = new URL(cluster.server);
  if (!/^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/u.test(hostname)) {
    throw new Error(
      `${name} has the server ${cluster.server}, and http:// would send Gantry's credentials in the clear: ` +
        "write https://, or use kubectl proxy on this machine, as http://127.0.0.1:8001",
    );
  }
  // @kubernetes/client-node refuses HTTP to clusters whose certificate is to be checked.
  config.clusters = clusters.map((each) => (each === cluster ? { ...each, skipTLSVerify: true } : each));
}

const MOVED: Readonly<Record<string, string>> = {
  gcp: "Install gke-gcloud-auth-plugin, then run `gcloud container clusters get-credentials NAME`",
  azure: "Install kubelogin, then run `kubelogin convert-kubeconfig`",
  oidc: "Use an exec plugin for OpenID Connect, such as `kubectl oidc-login`",
};

/** The pod's own account is one as well, by the name of @kubernetes/client-node. */
function refuseAuthProvider(name: string, config: KubeConfig): void {
  const user = config.getCurrentUser();
  const provider = z.object({ name: z.string() }).safeParse(user?.authProvider).data?.name;
  if (provider === undefined || provider === "tokenFile") return;
  const todo = MOVED[provider] ?? "Give the user a token, a certificate or an exec plugin";
  throw new Error(
    `${name} has the auth-provider ${provider} for its user ${user?.name}, which Gantry can't use. ${todo}`,
  );
}

/** What is read: `name` is for people. */
type Read = { readonly name: string; readonly files: readonly string[]; readonly clock: Clock };

/** Runs the program of the current user as kubectl does. Another login of this user wins, as with kubectl. */
function usePlugin(config: KubeConfig, { name, files, clock }: Read): void {
  const user = config.getCurrentUser();
  const cluster = config.getCurrentCluster();
  if (!user?.exec || user.token !== undefined || !cluster) return;
  const read = Exec.safeParse(user.exec);
  if (!read.success) {
    const where = read.error.issues[0]?.path.join(".") ?? "";
    throw new Error(`${name} has an exec plugin for its user ${user.name} that can't be used: check exec.${where}`);
  }
  const wrong = wrongExec(read.data);
  if (wrong !== undefined) throw new Error(`${name}: ${wrong}`);
  const exec = { ...read.data, command: commandOf(read.data.command, folderOf(user, files)) };
  const plugin = makeExecPlugin({ exec, cluster: execCluster(cluster, files), env: process.env, clock });
  config.users = config.users.map((each) =>
    each === user ? { ...each, exec: undefined, authProvider: plugin } : each,
  );
  config.addAuthenticator({
    isAuthProvider: ({ authProvider }) => authProvider === plugin,
    async applyAuthentication(_, options) {
      const { token, certificate, key } = await plugin.credentials();
      // Its own object: the caller reads what is added there.
      if (token !== undefined) Object.assign((options.headers ??= {}), { Authorization: `Bearer ${token}` });
      if (certificate !== undefined) Object.assign(options, { cert: certificate, key });
    },
  });
}

/** A path is relative to the kubeconfig; a name is looked up in PATH. */
function commandOf(command: string, folder: string): string {
  const isPath = command.includes("/") || command.includes(sep);
  return isPath && !isAbsolute(command) ? resolve(folder, command) : command;
}

const File = z.object({
  users: z.array(z.object({ name: z.string() })).catch([]),
  clusters: z
    .array(
      z.object({
        name: z.string(),
        cluster: z.object({ extensions: z.array(z.object({ name: z.string(), extension: z.unknown() })).nullish() }),
      }),
    )
    .catch([]),
});

/** Without the files that can't be read: @kubernetes/client-node has read what is needed. */
function contentsOf(files: readonly string[]) {
  return files.flatMap((path) => {
    try {
      return [{ path, ...File.parse(parse(readFileSync(path, "utf8"))) }];
    } catch {
      return [];
    }
  });
}

function folderOf(user: User, files: readonly string[]): string {
  const file = contentsOf(files).find(({ users }) => users.some(({ name }) => name === user.name));
  return dirname(resolve(file?.path ?? "."));
}

/** https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-Cluster */
function execCluster(cluster: Cluster, files: readonly string[]): object {
  const { name, server, tlsServerName, skipTLSVerify, caFile, caData, proxyUrl } = cluster;
  const found = contentsOf(files).flatMap(({ clusters }) => clusters.filter((each) => each.name === name));
  const config = found[0]?.cluster.extensions?.find((each) => each.name === "client.authentication.k8s.io/exec");
  const authority = caFile === undefined ? caData : readFileSync(caFile).toString("base64");
  return {
    server,
    ...(tlsServerName && { "tls-server-name": tlsServerName }),
    ...(skipTLSVerify && { "insecure-skip-tls-verify": true }),
    ...(authority && { "certificate-authority-data": authority }),
    ...(proxyUrl && { "proxy-url": proxyUrl }),
    ...(config && { config: config.extension }),
  };
}

/** Without a user, @kubernetes/client-node drops the cluster's certificate too, and the error is about that. */
function refuseUnknownUser(name: string, config: KubeConfig): void {
  const context = config.getCurrentContext();
  const user = config.getContextObject(context)?.user ?? "";
  if (user === "" || config.getUser(user)) return;
  const known = config.getUsers().map((each) => each.name);
  throw new Error(
    `${name} has no user ${user}, which its context ${context} names: it has ${known.join(", ") || "none"}`,
  );
}

function readable(name: string, load: () => void): void {
  try {
    load();
  } catch (error) {
    throw new Error(`${name} can't be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Without a kubeconfig or a pod's account, @kubernetes/client-node makes up an address. */
function refuseMadeUp(config: KubeConfig): void {
  const server = config.getCurrentCluster()?.server;
  if (server === "https://undefined:undefined") throw new Error("this process doesn't run in a pod of a cluster");
  if (config.getCurrentContext() === "loaded-context" && server === "http://localhost:8080") {
    throw new Error("there is no kubeconfig: KUBECONFIG isn't set, ~/.kube/config isn't there, and this is no pod");
  }
}

/** A client of the cluster. */
export async function connect(config: Pick<ClusterConfig, "kubeconfig" | "context">, clock: Clock): Promise<KubeApi> {
  return makeKubeClient({ kubeConfig: await kubeConfigOf(config, clock), clock });
}
