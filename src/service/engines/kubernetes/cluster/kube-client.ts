import { addAbortSignal, type Readable } from "node:stream";
import { z } from "zod";
import { type KubeApi, KubeError, KubeUnreachable, type Named, type Place, type WatchEvent } from "./kube-api.ts";
import { apiVersionOf, type Kind, kinds, type KubeObject } from "./kinds.ts";
import { answerOf, type Connection, connectionTo, jsonAnswer, type Sending } from "./kube-requests.ts";

const byGantry = { fieldManager: "gantry" };

/**
 * A client over plain HTTP with the credentials of a kubeconfig. The classes of @kubernetes/client-node would open a
 * TLS connection for each call, turn times into Dates and keep every field of every object.
 */
export function makeKubeClient(options: Parameters<typeof connectionTo>[0]): KubeApi {
  return clientOf(connectionTo(options));
}

function clientOf(connection: Connection): KubeApi {
  const json = (sending: Sending) => jsonAnswer(connection, sending);
  const pathOf = (target: Place | Named): string => {
    const { plural } = kinds[target.kind];
    const space = target.kind === "Namespace" ? "" : `/namespaces/${encodeURIComponent(target.namespace)}`;
    const place = `/${groupOf(connection, target.kind)}${space}/${plural}`;
    return "name" in target ? `${place}/${encodeURIComponent(target.name)}` : place;
  };
  const object = async <K extends Kind>({ kind }: Place<K>, sending: Sending): Promise<KubeObject<K>> => {
    const parsed = kinds[kind].schema.safeParse(await json(sending));
    if (!parsed.success) throw new KubeUnreachable(`the API server's ${kind} can't be read: ${parsed.error.message}`);
    return parsed.data as KubeObject<K>; // the schema of this kind
  };
  return {
    server: connection.server,
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
      const answer = await json({ method: "GET", path: "/version", signal });
      return z.object({ gitVersion: z.string() }).parse(answer).gitVersion;
    },
    async list(place, { labelSelector, fieldSelector, limit, next }, signal) {
      const query = { labelSelector, fieldSelector, limit, continue: next };
      const page = async () => pageOf(place.kind, await json({ method: "GET", path: pathOf(place), query, signal }));
      return await withOlderGroup(connection, place.kind, page);
    },
    async watch(place, { resourceVersion, timeoutSeconds, labelSelector, onOpen, onEvent }, signal) {
      const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, labelSelector };
      const stream = await answerOf(connection, { method: "GET", path: pathOf(place), query, signal });
      onOpen?.();
      await readEvents(stream, { kind: place.kind, onEvent, signal });
    },
    get: (named, signal) => object(named, { method: "GET", path: pathOf(named), signal }),
    create(place, body, signal) {
      const { kind } = place;
      const typed = { apiVersion: apiVersionOf(groupOf(connection, kind)), kind, ...body };
      return object(place, { method: "POST", path: pathOf(place), query: byGantry, body: typed, signal });
    },
    patch(named, patch, signal) {
      const body = patch.type === "json" ? patch.operations : patch.body;
      const contentType = patchTypes[patch.type];
      return object(named, { method: "PATCH", path: pathOf(named), query: byGantry, body, contentType, signal });
    },
    async delete(named, { propagation, uid }, signal) {
      const body = { propagationPolicy: propagation, ...(uid !== undefined && { preconditions: { uid } }) };
      await json({ method: "DELETE", path: pathOf(named), body, signal });
    },
    async podLog({ namespace, pod, container, ...options }, signal) {
      const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log`;
      const query = { container, timestamps: true, ...options };
      return await answerOf(connection, { method: "GET", path, query, signal });
    },
    withWarnings: (onWarning) => clientOf({ ...connection, onWarning }),
    apiVersion: (kind) => apiVersionOf(groupOf(connection, kind)),
    outages: connection.outages.all,
    close() {
      for (const agent of Object.values(connection.agents)) agent.destroy();
    },
  };
}

const NamespaceLabels = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).nullish() }) });

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

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

const Line = z.object({ type: z.string(), object: z.unknown() });
const Bookmark = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const Failure = z.object({
  code: z.number().default(500),
  message: z.string().default(""),
  reason: z.string().optional(),
});

type Reading<K extends Kind> = {
  readonly kind: K;
  readonly onEvent: (event: WatchEvent<K>) => void;
  readonly signal: AbortSignal;
};

/**
 * Reads the events of a watch, one JSON object per line, until its stream ends. An ERROR event is a `KubeError`, for
 * example 410 when the resource version is too old; a broken stream is a `KubeUnreachable`.
 */
async function readEvents<K extends Kind>(stream: Readable, { kind, onEvent, signal }: Reading<K>): Promise<void> {
  const read = (line: string): void => {
    signal.throwIfAborted();
    const event = eventOf(line, kind);
    if (event) onEvent(event);
  };
  let rest = "";
  try {
    const chunks: AsyncIterable<string> = addAbortSignal(signal, stream.setEncoding("utf8"));
    for await (const chunk of chunks) {
      const [first = "", ...lines] = chunk.split("\n");
      rest += first;
      for (const line of lines) {
        read(rest);
        rest = line;
      }
    }
    read(rest);
  } catch (error) {
    if (error instanceof KubeError) throw error;
    if (signal.aborted) throw signal.reason;
    throw new KubeUnreachable(`the watch broke: ${String(error)}`, { cause: error });
  }
}

function eventOf<K extends Kind>(text: string, kind: K): WatchEvent<K> | undefined {
  if (text.trim() === "") return undefined;
  const { type, object } = Line.parse(JSON.parse(text));
  if (type === "ERROR") {
    const { code, message, reason } = Failure.parse(object);
    throw new KubeError(code, message, { reason });
  }
  if (type === "BOOKMARK") return { type, resourceVersion: Bookmark.parse(object).metadata.resourceVersion };
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") return undefined;
  const parsed = kinds[kind].schema.safeParse(object);
  // A strange object must not end the watch of all others.
  return parsed.success ? ({ type, object: parsed.data } as WatchEvent<K>) : undefined; // the schema of this kind
}
