import { once } from "node:events";
import { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import type { KubeConfig } from "@kubernetes/client-node";

/** A request as kubectl would send it, with the admin's credentials or with another user's token. */
export type KubeRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/api/v1/namespaces/…`, with its query. */
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  readonly token?: string;
};

/** `body` is what the API server answered: tests read of it what they need. */
export type KubeReply = { readonly status: number; readonly body: KubeBody };
export type KubeBody = { readonly [field: string]: unknown; readonly items?: readonly KubeItem[] };
export type KubeItem = { readonly metadata: KubeItemMetadata; readonly [field: string]: unknown };
type KubeItemMetadata = {
  readonly name: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly name: string; readonly uid: string }[];
};

const TIMEOUT_MS = 30_000;

/** Asks the API server for what the engine's own client can't: namespaces, Roles, other users. Resolves for each status. */
export async function kubeCall(config: KubeConfig, request: KubeRequest): Promise<KubeReply> {
  const { method, path, body, contentType = "application/json", token } = request;
  const server = config.getCurrentCluster()?.server ?? "";
  const headers: Record<string, string> = {};
  const options: RequestOptions = { headers };
  await config.applyToHTTPSOptions(options);
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const asked = https.request(new URL(path, server), {
    ...options,
    // One connection each: a rig that is killed in between leaves no broken one behind.
    agent: false,
    method,
    headers: {
      ...headers,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { "content-type": contentType, "content-length": Buffer.byteLength(sent) }),
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  asked.end(sent);
  const [answer] = (await once(asked, "response")) as [IncomingMessage]; // Node's event
  const said = await text(answer);
  return { status: answer.statusCode ?? 0, body: bodyOf(said) };
}

function bodyOf(said: string): KubeBody {
  try {
    return JSON.parse(said) as KubeBody; // Kubernetes answers with objects
  } catch {
    return { message: said };
  }
}
