import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import { isHangUp } from "../../../../platform/http/send.ts";
import { version } from "../../../../platform/version.ts";
import { orAborted } from "../../../../platform/waiting.ts";
import { execPluginOf } from "./exec-plugin.ts";
import { type KubeApi, KubeError, KubeUnreachable, type Named, type Place, missingRightOf } from "./kube-api.ts";
import { apiVersionOf, type Kind, kinds, type KubeObject } from "./kinds.ts";
import { jsonIn } from "../../../../platform/optional.ts";
import { makeOutages, type Outages } from "./outages.ts";
import { watchStream } from "./watch-stream.ts";

type KubeClientOptions = {
  /** One for each region: @kubernetes/client-node caches credentials by user name. */
  readonly kubeConfig: KubeConfig;
  readonly clock: KubeClock;
};

type KubeClock = Pick<Clock, "now" | "elapsedMs" | "after">;

/** The API server may take so long for an answer. */
const TIMEOUT_MS = 10_000;
/** So long after an outage the API server may not know all rights yet. */
const RIGHTS_WITHIN_MS = 60_000;

/** As the audit log and the managed fields of the cluster name it. */
const USER_AGENT = `gantry/${version}`;
const byGantry = { fieldManager: "gantry" };

type Sending = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
};

/**
 * A client over plain HTTP with the credentials of a kubeconfig. The classes of @kubernetes/client-node would open a
 * TLS connection for each call, turn times into Dates and keep every field of every object.
 */
export function makeKubeClient({ kubeConfig, clock }: KubeClientOptions): KubeApi {
  const server = (kubeConfig.getCurrentCluster()?.server ?? "").replace(/\/+$/u, "");
  const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };
  const outages = makeOutages(clock);
  return clientOf({ kubeConfig, clock, server, agents, outages, older: new Set(), awayAt: undefined });
}

function clientOf(connection: Connection, onWarning?: (warning: string) => void): KubeApi {
  const { server, agents } = connection;
  return {
    server,
    ...reads(connection),
    ...writes(connection, onWarning),
    withWarnings: (listener) => clientOf(connection, listener),
    apiVersion: (kind) => apiVersionOf(groupOf(connection, kind)),
    outages: connection.outages.all,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function reads(connection: Connection): Pick<KubeApi, "namespace" | "version" | "list" | "watch" | "get" | "podLog"> {
  const json = (sending: Sending) => jsonAnswer(connection, sending);
  return {
    async namespace(name, signal) {
      try {
        const path = `/api/v1/namespaces/${encodeURIComponent(name)}`;
        const { metadata } = NamespaceLabels.parse(await json({ method: "GET", path, signal }));
        return { labels: metadata.labels ?? {} };
      } catch (error) {
        if (!(error instanceof KubeError && [401, 403, 404].includes(error.status))) throw error;
        return error.status === 404 && error.reason === "NotFound" ? "missing" : "hidden";
      }
    },
    async version(signal) {
      return z.object({ gitVersion: z.string() }).parse(await json({ method: "GET", path: "/version", signal }))
        .gitVersion;
    },
    async list(place, { labelSelector, fieldSelector, limit, next }, signal) {
      const query = { labelSelector, fieldSelector, limit, continue: next };
      const page = async () =>
        pageOf(place.kind, await json({ method: "GET", path: pathOf(connection, place), query, signal }));
      return await withOlderGroup(connection, place.kind, page);
    },
    async watch(place, { resourceVersion, timeoutSeconds, labelSelector, onOpen, onEvent }, signal) {
      const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, labelSelector };
      const stream = await answerOf(connection, { method: "GET", path: pathOf(connection, place), query, signal });
      onOpen?.();
      await watchStream(stream, { schema: kinds[place.kind].schema, onEvent, signal });
    },
    get: (named, signal) =>
      objectAt(connection, named.kind, { method: "GET", path: pathOf(connection, named), signal }),
    async podLog({ namespace, pod, container, ...query }, signal) {
      const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log`;
      return await answerOf(connection, {
        method: "GET",
        path,
        query: { container, timestamps: true, ...query },
        signal,
      });
    },
  };
}

function writes(
  connection: Connection,
  onWarning?: (warning: string) => void,
): Pick<KubeApi, "create" | "patch" | "delete"> {
  return {
    create(place, body, signal) {
      const { kind } = place;
      const path = pathOf(connection, place);
      const typed = { apiVersion: apiVersionOf(groupOf(connection, kind)), kind, ...body };
      return objectAt(connection, kind, { method: "POST", path, query: byGantry, body: typed, signal }, onWarning);
    },
    patch(named, patch, signal) {
      const path = pathOf(connection, named);
      const body = patch.type === "json" ? patch.operations : patch.body;
      const contentType = patchTypes[patch.type];
      const sending = { method: "PATCH", path, query: byGantry, body, contentType, signal } as const;
      return objectAt(connection, named.kind, sending, onWarning);
    },
    async delete(named, { propagation, uid }, signal) {
      const body = { propagationPolicy: propagation, ...(uid !== undefined && { preconditions: { uid } }) };
      await jsonAnswer(connection, { method: "DELETE", path: pathOf(connection, named), body, signal }, onWarning);
    },
  };
}

const NamespaceLabels = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).nullish() }) });

async function jsonAnswer(
  connection: Connection,
  sending: Sending,
  onWarning?: (warning: string) => void,
): Promise<unknown> {
  const answer = await answerOf(connection, sending);
  for (const warning of onWarning ? warningsOf(answer) : []) onWarning?.(warning);
  const text = await textOf(answer, connection.clock);
  try {
    return JSON.parse(text);
  } catch {
    throw new KubeUnreachable(`${connection.server} didn't answer with JSON: is it a Kubernetes API server?`);
  }
}

/** `299 - "text"`, and several in one header: https://www.rfc-editor.org/rfc/rfc7234#section-5.5 */
function warningsOf({ headersDistinct }: IncomingMessage): string[] {
  const values = headersDistinct["warning"] ?? [];
  return values.flatMap((value) =>
    // Node reads header values as Latin-1, and Kubernetes writes UTF-8.
    [
      ...Buffer.from(value, "latin1")
        .toString("utf8")
        .matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/gu),
    ].map(([, quoted = ""]) => quoted.replaceAll(/\\(.)/gu, "$1")),
  );
}

function groupOf({ older }: Connection, kind: Kind): string {
  const { group, olderGroup = group }: { readonly group: string; readonly olderGroup?: string } = kinds[kind];
  return older.has(kind) ? olderGroup : group;
}

/** Older clusters have some kinds in another group. Which one is known from the first list on. */
async function withOlderGroup<T>({ older }: Connection, kind: Kind, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const isUnknown = error instanceof KubeError && error.status === 404;
    if (!isUnknown || !("olderGroup" in kinds[kind]) || older.has(kind)) throw error;
    older.add(kind);
    return await call().catch((second: unknown) => {
      older.delete(kind);
      throw second;
    });
  }
}

function pathOf(connection: Connection, target: Place | Named): string {
  const { plural } = kinds[target.kind];
  const space = target.kind === "Namespace" ? "" : `/namespaces/${encodeURIComponent(target.namespace)}`;
  const place = `/${groupOf(connection, target.kind)}${space}/${plural}`;
  return "name" in target ? `${place}/${encodeURIComponent(target.name)}` : place;
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

async function objectAt<K extends Kind>(
  connection: Connection,
  kind: K,
  sending: Sending,
  onWarning?: (warning: string) => void,
): Promise<KubeObject<K>> {
  const parsed = kinds[kind].schema.safeParse(await jsonAnswer(connection, sending, onWarning));
  if (!parsed.success) throw new KubeUnreachable(`the API server's ${kind} can't be read: ${parsed.error.message}`);
  return parsed.data as KubeObject<K>; // the schema of this kind
}

const Page = z.object({
  metadata: z.object({
    resourceVersion: z.string().default(""),
    continue: z.string().optional(),
  }),
  items: z.array(z.unknown()).nullish(),
});

/** Objects are read one by one: a strange one must not hide the others. */
function pageOf<K extends Kind>(kind: K, value: unknown) {
  const { metadata, items } = Page.parse(value);
  const read = (items ?? []).map((item) => kinds[kind].schema.safeParse(item));
  const good = read.flatMap((each) => (each.success ? [each.data as KubeObject<K>] : [])); // the schema of this kind
  return {
    items: good,
    resourceVersion: metadata.resourceVersion,
    next: metadata.continue === "" ? undefined : metadata.continue,
    unreadable: read.length - good.length,
  };
}

type Connection = {
  readonly kubeConfig: KubeConfig;
  readonly server: string;
  readonly agents: { readonly "http:": http.Agent; readonly "https:": https.Agent };
  readonly clock: KubeClock;
  readonly outages: Outages;
  /** Kinds of which the cluster has the older group. */
  readonly older: Set<Kind>;
  /** When the API server was last seen to be away; of `clock.elapsedMs`. */
  awayAt: number | undefined;
};

/** Of a load balancer without an API server behind it, or of one that stops or starts. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** The answer once its headers are there. Rejects for an error status. */
async function answerOf(connection: Connection, sending: Sending): Promise<IncomingMessage> {
  const { clock, outages } = connection;
  const sentAt = clock.now();
  try {
    const answer = await answered(connection, sending);
    outages.noteAnswer();
    return answer;
  } catch (error) {
    const isAnswer = error instanceof KubeError && !AWAY.has(error.status);
    if (isAnswer) outages.noteAnswer();
    else if (error instanceof KubeError || error instanceof KubeUnreachable) outages.noteAway(sentAt);
    throw error;
  }
}

/**
 * Credentials of an exec plugin that aren't accepted are renewed once, and the request sent again: an API server that answers
 * 401 has looked at nothing else of it.
 */
async function answered(connection: Connection, sending: Sending): Promise<IncomingMessage> {
  const plugin = execPluginOf(connection.kubeConfig);
  if (!plugin) return await sent(connection, sending);
  const { signal = new AbortController().signal } = sending;
  signal.throwIfAborted();
  // Before the request, whose time limit is shorter than a plugin's.
  const credentials = await orAborted(plugin.credentials(), signal);
  try {
    return await sent(connection, sending);
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 401) throw error;
  }
  plugin.refused(credentials);
  await orAborted(plugin.credentials(), signal);
  return await sent(connection, sending);
}

/**
 * A read is sent once more, at once, when the connection is closed without an answer: the API server may close one that was
 * kept open just when it is used again.
 */
async function sent(connection: Connection, sending: Sending): Promise<IncomingMessage> {
  try {
    return await sentOnce(connection, sending);
  } catch (error) {
    if (!(error instanceof KubeUnreachable) || !isHangUp(error.cause)) throw error;
    const { awayAt: before, clock } = connection;
    const hungUpAt = clock.elapsedMs();
    connection.awayAt = hungUpAt;
    if (sending.method !== "GET") throw error;
    const answer = await sentOnce(connection, sending);
    // It wasn't away: a right that it says is missing is missing.
    if (connection.awayAt === hungUpAt) connection.awayAt = before;
    return answer;
  }
}

async function sentOnce(connection: Connection, sending: Sending): Promise<IncomingMessage> {
  const { clock, server } = connection;
  const { signal } = sending;
  const late = new AbortController();
  const timer = clock.after(TIMEOUT_MS, () => late.abort());
  let answer: IncomingMessage;
  try {
    const request = await requestOf(connection, sending, late.signal);
    [answer] = (await once(request, "response")) as [IncomingMessage]; // Node's event
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof KubeUnreachable) throw error;
    if (late.signal.aborted) throw new KubeUnreachable(`${server} didn't answer in ${TIMEOUT_MS / 1_000} s`);
    if (!isHangUp(error)) connection.awayAt = clock.elapsedMs();
    const why = error instanceof Error ? error.message : String(error);
    const sentence = isHangUp(error) ? `${server} closed the connection` : `${server} can't be reached: ${why}`;
    throw new KubeUnreachable(sentence, { cause: error });
  } finally {
    timer.cancel();
  }
  // A stream that breaks later is an error of its reader; without a listener it would end the process.
  answer.on("error", () => {
    // A log breaks off with its node, too.
    const isLog = sending.path.endsWith("/log");
    if (signal?.aborted === true || isLog) return;
    connection.awayAt = clock.elapsedMs();
    connection.outages.noteAway(clock.now());
  });
  const { statusCode = 0 } = answer;
  if (statusCode >= 200 && statusCode < 300) return answer;
  if (AWAY.has(statusCode)) connection.awayAt = clock.elapsedMs();
  throw errorOf(answer, await textOf(answer, clock).catch(() => ""), connection);
}

async function requestOf(
  { kubeConfig, server, agents }: Connection,
  { method, path, query = {}, body, contentType = "application/json", signal }: Sending,
  late: AbortSignal,
): Promise<http.ClientRequest> {
  const url = new URL(server + path);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value));
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers: Record<string, string> = {};
  const options: https.RequestOptions = { headers };
  await kubeConfig.applyToHTTPSOptions(options);
  // Its own agent closes each connection; only one for a proxy is kept.
  const usesProxy = kubeConfig.getCurrentCluster()?.proxyUrl !== undefined;
  const agent = usesProxy ? options.agent : url.protocol === "http:" ? agents["http:"] : agents["https:"];
  const request = (url.protocol === "http:" ? http : https).request(url, {
    ...options,
    agent,
    method,
    headers: {
      ...headers,
      accept: "application/json",
      "user-agent": USER_AGENT,
      ...(text !== undefined && { "content-type": contentType, "content-length": Buffer.byteLength(text) }),
    },
    signal: signal ? AbortSignal.any([signal, late]) : late,
  });
  request.on("error", () => undefined); // also emitted after the answer began, when nobody waits for it
  request.end(text);
  return request;
}

/** More than any answer of the API server; lists are read in pages. */
const MAX_BYTES = 256 * 1024 * 1024;

async function textOf(answer: IncomingMessage, clock: KubeClock): Promise<string> {
  const timer = clock.after(TIMEOUT_MS, () => {
    answer.destroy(new Error(`the answer took longer than ${TIMEOUT_MS / 1_000} s`));
  });
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new Error(`the answer is larger than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new KubeUnreachable(isHangUp(error) ? "its answer broke off" : why, { cause: error });
  } finally {
    timer.cancel();
  }
}

/**
 * A webhook or a policy of the cluster said no. A webhook may choose any status, also one that means something else here:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go
 */
const DENIED =
  /^admission webhook "[^"]{0,300}" denied the request|ValidatingAdmissionPolicy '[^']{0,300}'.{0,600} denied request/u;

const Status = z.object({ message: z.string().default(""), reason: z.string().optional() });

function errorOf(answer: IncomingMessage, text: string, { awayAt, clock }: Connection): KubeError {
  const { statusCode = 0, headers } = answer;
  const seconds = Number(headers["retry-after"]);
  const retryAfterSeconds = Number.isFinite(seconds) && headers["retry-after"] !== undefined ? seconds : undefined;
  const status = Status.safeParse(jsonIn(text));
  const message = status.success && status.data.message !== "" ? status.data.message : text.slice(0, 300).trim();
  if (DENIED.test(message)) return new KubeError(403, message, { reason: "Denied" });
  const isJustBack = awayAt !== undefined && clock.elapsedMs() - awayAt < RIGHTS_WITHIN_MS;
  return new KubeError(statusCode, message || `the API server answered with status ${statusCode}`, {
    reason: status.data?.reason,
    retryAfterSeconds,
    isEarly: isJustBack && missingRightOf({ status: statusCode, message }) !== undefined,
  });
}
