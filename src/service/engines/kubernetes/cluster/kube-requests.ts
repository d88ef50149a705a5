import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import { isHangUp } from "../../../../platform/http/send.ts";
import { jsonIn } from "../../../../platform/optional.ts";
import { version } from "../../../../platform/version.ts";
import { orAborted } from "../../../../platform/waiting.ts";
import { execPluginOf } from "./exec-plugin.ts";
import { KubeError, KubeUnreachable, missingRightOf, type Outage } from "./kube-api.ts";
import type { Kind } from "./kinds.ts";

/** What a client of one API server sends with. */
export type Connection = ReturnType<typeof connectionTo>;

type Connecting = {
  /** One for each region: @kubernetes/client-node caches credentials by user name. */
  readonly kubeConfig: KubeConfig;
  readonly clock: Pick<Clock, "now" | "elapsedMs" | "after">;
};

export function connectionTo({ kubeConfig, clock }: Connecting) {
  return {
    kubeConfig,
    clock,
    server: (kubeConfig.getCurrentCluster()?.server ?? "").replace(/\/+$/u, ""),
    agents: { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) },
    outages: makeOutages(clock),
    /** When the API server was last seen to be away; of `clock.elapsedMs`. */
    away: { at: undefined as number | undefined }, // changes
    /** Kinds of which the cluster has the older group. */
    older: new Set<Kind>(),
    /** Told of what the API server warns of in its answers to writes. */
    onWarning: undefined as ((warning: string) => void) | undefined, // none yet
  };
}

/** The API server may take so long for an answer. */
const TIMEOUT_MS = 10_000;
/** So long after an outage the API server may not know all rights yet. */
const RIGHTS_WITHIN_MS = 60_000;

/** As the audit log and the managed fields of the cluster name it. */
const USER_AGENT = `gantry/${version}`;

export type Sending = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
};

/** The answer to a request whose answer is JSON. */
export async function jsonAnswer(connection: Connection, sending: Sending): Promise<unknown> {
  const { clock, server, onWarning } = connection;
  const answer = await answerOf(connection, sending);
  if (onWarning && sending.method !== "GET") for (const warning of warningsOf(answer)) onWarning(warning);
  const text = await textOf(answer, clock);
  try {
    return JSON.parse(text);
  } catch {
    throw new KubeUnreachable(`${server} didn't answer with JSON: is it a Kubernetes API server?`);
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

/** Of a load balancer without an API server behind it, or of one that stops or starts. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** The answer once its headers are there. Rejects for an error status. */
export async function answerOf(connection: Connection, sending: Sending): Promise<IncomingMessage> {
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
    const { away, clock } = connection;
    const before = away.at;
    const hungUpAt = clock.elapsedMs();
    away.at = hungUpAt;
    if (sending.method !== "GET") throw error;
    const answer = await sentOnce(connection, sending);
    // It wasn't away: a right that it says is missing is missing.
    if (away.at === hungUpAt) away.at = before;
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
    if (!isHangUp(error)) connection.away.at = clock.elapsedMs();
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
    connection.away.at = clock.elapsedMs();
    connection.outages.noteAway(clock.now());
  });
  const { statusCode = 0 } = answer;
  if (statusCode >= 200 && statusCode < 300) return answer;
  if (AWAY.has(statusCode)) connection.away.at = clock.elapsedMs();
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

async function textOf(answer: IncomingMessage, clock: Connection["clock"]): Promise<string> {
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

function errorOf(answer: IncomingMessage, text: string, { away, clock }: Connection): KubeError {
  const { statusCode = 0, headers } = answer;
  const seconds = Number(headers["retry-after"]);
  const retryAfterSeconds = Number.isFinite(seconds) && headers["retry-after"] !== undefined ? seconds : undefined;
  const status = Status.safeParse(jsonIn(text));
  const message = status.success && status.data.message !== "" ? status.data.message : text.slice(0, 300).trim();
  if (DENIED.test(message)) return new KubeError(403, message, { reason: "Denied" });
  const isJustBack = clock.elapsedMs() - (away.at ?? Number.NEGATIVE_INFINITY) < RIGHTS_WITHIN_MS;
  return new KubeError(statusCode, message || `the API server answered with status ${statusCode}`, {
    reason: status.data?.reason,
    retryAfterSeconds,
    isEarly: isJustBack && missingRightOf({ status: statusCode, message }) !== undefined,
  });
}

/** The kubelet sends again within this time what it couldn't: its status manager looks every ten seconds. */
const CATCH_UP_MS = 10_000;
/** Longer than a cluster's deadlines usually are. */
const KEPT_MS = 60 * 60_000;

function makeOutages(clock: Pick<Clock, "now">) {
  let past: readonly Outage[] = [];
  let openSince: Date | undefined;
  return {
    all: (): readonly Outage[] => (openSince === undefined ? past : [...past, { from: openSince, until: undefined }]),
    /** The API server didn't answer a request that was sent then. */
    noteAway(sentAt: Date) {
      // What is still caught up with goes on: the outages don't overlap.
      const last = past.at(-1)?.until;
      openSince ??= last !== undefined && last > sentAt ? last : sentAt;
    },
    noteAnswer() {
      if (openSince === undefined) return;
      const now = clock.now().getTime();
      const until = new Date(now + CATCH_UP_MS);
      past = [...past.filter((each) => (each.until?.getTime() ?? now) > now - KEPT_MS), { from: openSince, until }];
      openSince = undefined;
    },
  };
}
