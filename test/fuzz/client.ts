import { Agent, request, type IncomingMessage } from "node:http";
import type { Account, FuzzRequest } from "./requests.ts";
import { regions, users } from "./service-process.ts";

export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly ms: number;
};
export type Client = {
  /** Throws when no answer comes. */
  readonly send: (asked: FuzzRequest) => Promise<Answer>;
  readonly close: () => void;
};

/** An answer that takes longer counts as none. */
export const LONGEST_ANSWER_MS = 15_000;
export const BODY_LIMIT = 1_000_000;

export function openClient(url: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  return {
    async send(asked) {
      const since = performance.now();
      const response = await answered({ agent, hostname, port }, asked);
      response.setEncoding("utf8");
      let text = "";
      for await (const part of response) text += part;
      const { statusCode: status = 0 } = response;
      return { status, contentType: response.headers["content-type"] ?? "", body: text, ms: performance.now() - since };
    },
    close: () => agent.destroy(),
  };
}

type Where = { readonly agent: Agent; readonly hostname: string; readonly port: string };

function answered(where: Where, asked: FuzzRequest): Promise<IncomingMessage> {
  const { method, target, headers, body } = asked;
  const length = body === undefined ? {} : { "Content-Length": String(body.length) };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request({ ...where, method, path: target, headers: { ...headers, ...length } }, resolve);
  const late = new Error(`no answer in ${LONGEST_ANSWER_MS} ms`);
  const timer = setTimeout(() => sent.destroy(late), LONGEST_ANSWER_MS);
  void promise.then(
    (response) => response.once("close", () => clearTimeout(timer)),
    () => clearTimeout(timer),
  );
  sent.on("error", (error: NodeJS.ErrnoException) => {
    // The service had closed the idle connection, as HTTP allows; then the request never reached it.
    if (sent.reusedSocket && error.code === "ECONNRESET") resolve(answered(where, asked));
    else reject(error);
  });
  sent.end(body);
  return promise;
}

export function asUser({ username, token }: Account, method: string, target: string): FuzzRequest {
  return { op: "", method, target, headers: { username, Authorization: `token ${token}` }, body: undefined };
}

/** One workload as a list shows it. */
export type Listed = {
  readonly path: string;
  readonly user: Account;
  readonly uid: string;
  readonly status: string | undefined;
};

/** Everything that everybody has. Throws when a list does not answer 200. */
export async function listAll(client: Client): Promise<Listed[]> {
  const found: Listed[] = [];
  for (const user of users) {
    for (const region of regions) {
      const { services } = await list(client, user, `/v1/regions/${region}/services`);
      for (const { name, uid, status } of services ?? []) {
        found.push({ path: `/v1/regions/${region}/services/${name}`, user, uid, status });
      }
    }
    const { jobs } = await list(client, user, "/v1/regions/us/jobs");
    for (const { metadata } of jobs ?? []) {
      found.push({ path: `/v1/regions/us/jobs/${metadata.name}`, user, uid: metadata.uid, status: undefined });
    }
  }
  return found;
}

type ListBody = {
  readonly services?: readonly { readonly name: string; readonly uid: string; readonly status: string }[];
  readonly jobs?: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
};

async function list(client: Client, user: Account, target: string): Promise<ListBody> {
  const { status, body } = await client.send(asUser(user, "GET", target));
  if (status !== 200) throw new Error(`GET ${target} of ${user.username} answered ${status}: ${body.slice(0, 300)}`);
  return JSON.parse(body) as ListBody; // the service checks its answers against the contract
}
