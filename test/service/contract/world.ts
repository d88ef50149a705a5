import { expect } from "vitest";
import type { Answer, OperationId } from "../../../src/api/operations.ts";
import type { NewJobContainer, NewServiceContainer } from "../../../src/api/schema.ts";
import { routesOf, loadSpec } from "../../../src/service/api/contract.ts";
import type { Account } from "../../../src/service/api/users.ts";
import type { Changes } from "../../../src/service/engine.ts";

/** Workloads that the engine under test can run; what they do is the same everywhere, images and commands are not. */
export type Workloads = {
  /** A web server. Each start of an instance writes exactly one line that `startLine` matches; it also writes a heartbeat
   * at least each 100 ms. */
  readonly web: {
    readonly container: NewServiceContainer;
    /** An image of the same. */
    readonly otherImage: string;
    readonly port: number;
    readonly startLine: RegExp;
  };
  /** A job container that ends well after it wrote `count` lines, the n-th of which contains `nthLine(n, count)`. */
  readonly lines: (count: number) => NewJobContainer;
  readonly nthLine: (n: number, count: number) => string;
  /** A job container that writes a line and fails, whenever it is tried. */
  readonly failing: NewJobContainer;
  /** A service container that exits with code 3 soon after each start. */
  readonly crashing: NewServiceContainer;
  /** A job container that writes lines and does not end within the test. */
  readonly lasting: NewJobContainer;
};

/** A service with an engine, and what a client must know of it. */
export type ServiceUnderTest = {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly user1: Account;
  readonly user2: Account;
  /** A user who never has a workload. */
  readonly newcomer: Account;
  /** Two regions for services. */
  readonly regions: readonly [string, string];
  readonly workloads: Workloads;
  readonly knows: {
    /** All images that it can run. Others see only when a workload starts that there is no such image. */
    readonly images: boolean;
    /** When each restart of a service was. Others know the latest only. */
    readonly history: boolean;
    /** Unless it is false, custom domains can be bound. Others refuse a request with domains. */
    readonly domains?: false;
  };
  /** The log of an instance goes with it, as of a stopped service. `still` writes three lines, then no more. */
  readonly forgetsLogs?: { readonly still: NewServiceContainer };
  /** Another memory limit may reach running instances without a restart. */
  readonly resizes?: true;
  /** The answer of a web service at its `service_url`; rejects when nobody answers there. */
  readonly reach: (serviceUrl: string) => Promise<string>;
  /** How long a change may take on a quiet machine. */
  readonly deadlineMs: number;
  readonly close: () => Promise<void>;
};

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown;
};
export type Ask = {
  readonly region?: string;
  /** Name of the job or service. */
  readonly name?: string;
  readonly instance?: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** A body as it is sent, instead of JSON of `body`. */
  readonly raw?: { readonly text: string; readonly type?: string };
  readonly user?: Account;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
};

type AskEvents = Pick<Ask, "user" | "method"> & {
  readonly region: string;
  readonly after?: string | undefined;
  readonly wait?: string | number;
};

export type World = Omit<ServiceUnderTest, "close" | "fetch"> & {
  readonly ask: (op: OperationId, what?: Ask) => Promise<Reply>;
  /** Like `ask`, and the answer must be 200; its body. */
  readonly get: <Op extends OperationId>(op: Op, what?: Ask) => Promise<Answer<Op>>;
  /** What changed in a region since a cursor, waiting some seconds for it; the answer must be 200. */
  readonly events: (what: AskEvents) => Promise<Changes>;
  readonly askEvents: (what: AskEvents) => Promise<Reply>;
  /** Repeats a read until it is as wanted; fails at the deadline with what was read last. */
  readonly until: <T>(read: () => Promise<T>, isWanted: (value: T) => boolean) => Promise<T>;
  /** These domains, or none where domains are refused. */
  readonly domains: (...names: string[]) => string[];
  /** A name that no other case has. */
  readonly newName: (stem: string) => string;
};

const routes = routesOf(loadSpec());
let names = 0;

export function worldOf(service: ServiceUnderTest): World {
  const { fetch, close: _, ...given } = service;
  const ask: World["ask"] = async (op, what = {}) => replyOf(await fetch(requestOf(op, what, given)));
  const askEvents: World["askEvents"] = async ({ region, after, wait, user = given.user1, method = "GET" }) => {
    const url = new URL(`/v1/regions/${region}/events`, "http://service.example");
    if (after !== undefined) url.searchParams.set("after", after);
    if (wait !== undefined) url.searchParams.set("wait", String(wait));
    const headers = { username: user.username, Authorization: `token ${user.token}` };
    return replyOf(await fetch(new Request(url, { method, headers })));
  };
  return {
    ...given,
    ask,
    askEvents,
    async events(what) {
      const reply = await askEvents(what);
      expect({ what, reply }).toMatchObject({ reply: { status: 200 } });
      return reply.body as Changes; // the type of the service's own answer
    },
    async get<Op extends OperationId>(op: Op, what?: Ask) {
      const reply = await ask(op, what);
      expect({ op, what, reply }).toMatchObject({ op, reply: { status: 200 } });
      return reply.body as Answer<Op>; // the service under test checks its answers against the contract
    },
    async until(read, isWanted) {
      const since = performance.now();
      for (;;) {
        // Asked before the read: a machine that stood still past the deadline gets one look more.
        const isLast = performance.now() - since > given.deadlineMs;
        const value = await read();
        if (isWanted(value)) return value;
        if (isLast) {
          throw new Error(`not within ${given.deadlineMs} ms; at last: ${JSON.stringify(value)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 15)); // between two looks
      }
    },
    domains: (...names) => (given.knows.domains === false ? [] : names),
    newName: (stem) => `${stem}-${(names += 1)}`,
  };
}

export function routeOf(op: OperationId) {
  const route = routes.find((candidate) => candidate.op === op);
  if (!route) throw new Error(`openapi.yaml has no operation ${op}`);
  return route;
}

function requestOf(op: OperationId, what: Ask, { user1, regions }: Pick<ServiceUnderTest, "user1" | "regions">) {
  const { template, method, tags } = routeOf(op);
  const { region = tags.includes("jobs") ? "us" : regions[0], user = user1, name = "", instance = "" } = what;
  const values: Record<string, string> = { region, job_name: name, service_name: name, instance_name: instance };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ""));
  const url = new URL(path, "http://service.example");
  for (const [key, value] of Object.entries(what.query ?? {})) url.searchParams.set(key, String(value));
  const text = what.raw?.text ?? (what.body === undefined ? undefined : JSON.stringify(what.body));
  const type = what.raw ? what.raw.type : "application/json";
  return new Request(url, {
    method: what.method ?? method.toUpperCase(),
    headers: {
      username: user.username,
      Authorization: `token ${user.token}`,
      ...(text !== undefined && type !== undefined && { "Content-Type": type }),
      ...what.headers,
    },
    ...(text !== undefined && { body: new TextEncoder().encode(text) }),
  });
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
}
