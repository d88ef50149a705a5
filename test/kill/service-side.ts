import { createApi, type AccountApi, type ApiAccount } from "../../src/api/client.ts";
import type { PlainService } from "../support/as-read.ts";
import { memoryEngine } from "../service/support/memory-engine.ts";
import { images } from "../service/support/memory-store.ts";
import { serve } from "../../src/service/api/serve.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import type { Arrived } from "./killing-proxy.ts";
import { changeHeader } from "./ipc.ts";
import { type Rollouts, withRollouts } from "./rollouts.ts";

/** What the service saw of the writes of a Change. */
export type Written = {
  /** Requests that came in, whether or not anything was done with them. */
  arrived: number;
  /** Those that were done. */
  done: number;
  /** What was asked for last. */
  body: string;
};

export type ServiceSide = {
  readonly account: ApiAccount;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly written: (changeId: string) => Written;
  /** Writes that no claim stands before. */
  readonly unclaimed: () => number;
  /** Writes that came in for any Change so far. */
  readonly arrivals: () => number;
  readonly noteArrival: (arrived: Arrived) => void;
  readonly noteDone: (arrived: Arrived, response: Response) => void;
  /** The lines of a service's log, which a story writes. */
  readonly logOf: (name: string) => string[];
  /** The answer to a request for a log that a story has written. */
  readonly logAnswer: (request: Request) => Response | undefined;
  /** Makes a service of two instances that run; past the bot, like everything here. */
  readonly create: (name: string) => Promise<void>;
  readonly read: (name: string) => Promise<PlainService>;
  readonly resize: (name: string, size: number) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly close: () => Promise<void>;
} & Omit<Rollouts, "fetch">;

const REGION = "beijing1";

/** A service that runs nothing and counts every write. */
export function openServiceSide(): ServiceSide {
  const regions = ["us", "beijing1", "beijing2"];
  const { engine, close } = memoryEngine({ regions });
  const account = { username: "gantry", token: "a-token-that-only-the-kill-tests-know" };
  const { fetch, ...rollouts } = withRollouts(serve({ engine, users: [account], regions, checkAnswers: true }));
  const api = createApi({ baseUrl: "http://service.invalid", send: sendTo(fetch) }).as(account);
  const writes = new Map<string, Written>();
  const logs = new Map<string, string[]>();
  let unclaimed = 0;
  const written = (changeId: string): Written => {
    const known = writes.get(changeId) ?? { arrived: 0, done: 0, body: "" };
    writes.set(changeId, known);
    return known;
  };
  return {
    account,
    fetch,
    ...rollouts,
    written,
    unclaimed: () => unclaimed,
    arrivals: () => [...writes.values()].reduce((sum, { arrived }) => sum + arrived, 0),
    noteArrival({ request, body }) {
      if (request.method === "GET") return;
      const change = request.headers.get(changeHeader);
      if (change === null) {
        unclaimed += 1;
        return;
      }
      const of = written(change);
      of.arrived += 1;
      of.body = body;
    },
    noteDone({ request }, response) {
      const change = request.headers.get(changeHeader);
      if (request.method !== "GET" && change !== null && response.ok) written(change).done += 1;
    },
    logOf(name) {
      const lines = logs.get(name) ?? [];
      logs.set(name, lines);
      return lines;
    },
    logAnswer({ method, url }) {
      const { pathname, searchParams } = new URL(url);
      const [, name = ""] = /\/services\/([^/]+)\/logs$/u.exec(pathname) ?? [];
      const lines = method === "GET" ? logs.get(name) : undefined;
      const newest = lines?.slice(-Number(searchParams.get("size") ?? 100));
      return newest && Response.json(newest.map((log) => ({ instance_name: `${name}-0`, log })));
    },
    ...pastTheBot(api),
    close,
  };
}

function pastTheBot(api: AccountApi): Pick<ServiceSide, "create" | "read" | "resize" | "remove"> {
  const pathOf = (name: string) => ({ region: REGION, service_name: name });
  const read = (name: string): Promise<PlainService> =>
    api.send({ op: "getService", path: pathOf(name), query: undefined, body: undefined });
  const runs = async (name: string): Promise<void> => {
    while ((await read(name)).status !== "Running") await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    read,
    async create(name) {
      const containers = [{ image: images.web, resources: { limits: { memory: "512" } } }];
      const body = { target_instance_size: 2, containers };
      await api.send({ op: "createService", path: pathOf(name), query: undefined, body });
      await runs(name);
    },
    async resize(name, size) {
      const body = { target_instance_size: size };
      await api.send({ op: "updateService", path: pathOf(name), query: undefined, body });
    },
    async remove(name) {
      await api.send({ op: "deleteService", path: pathOf(name), query: undefined, body: undefined });
    },
  };
}
