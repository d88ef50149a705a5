import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { describe, expect, onTestFinished, test } from "vitest";
import type { KubeApi, WatchEvent } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { stillClock } from "../../../../support/test-clock.ts";
import { asTimePasses } from "../../../../support/as-time-passes.ts";
import { type Clock } from "../../../../../src/platform/clock.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A client of an API server that answers as the test says. */
async function clientOf(answer: Answer, clock: Clock = stillClock()): Promise<KubeApi> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: "test", server: `http://127.0.0.1:${port}`, skipTLSVerify: true }],
    users: [{ name: "ada", token: "ada-token" }],
    contexts: [{ name: "test", cluster: "test", user: "ada" }],
    currentContext: "test",
  });
  const api = makeKubeClient({ kubeConfig, clock });
  onTestFinished(async () => {
    api.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return api;
}

const pods = { kind: "Pod", namespace: "shop" } as const;

function podNamed(name: string, more: object = {}): object {
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "7",
      creationTimestamp: "2026-11-20T09:30:00Z",
    },
    spec: { containers: [{ name: "main" }] },
    status: {},
    ...more,
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

test.each([
  [422, 'admission webhook "rules.example.com" denied the request: no'],
  [409, 'admission webhook "rules.example.com" denied the request: no'],
  [404, 'admission webhook "rules.example.com" denied the request without explanation'],
  [500, 'admission webhook "rules.example.com" denied the request: no'],
  [422, `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`],
])(
  "a rule of the cluster that answers %i is a denial, whatever the status means elsewhere",
  async (status, message) => {
    const api = await clientOf((_, response) => send(response, status, { kind: "Status", message, reason: "Invalid" }));

    await expect(api.get({ ...pods, name: "web-1" })).rejects.toMatchObject({ status: 403, reason: "Denied", message });
  },
);

test("a request carries the token of the kubeconfig and the page that it asks for", async () => {
  const seen: { url?: string | undefined; authorization?: string | undefined }[] = [];
  const api = await clientOf((request, response) => {
    seen.push({ url: request.url, authorization: request.headers.authorization });
    send(response, 200, { metadata: { resourceVersion: "41", continue: "more" }, items: [podNamed("web-1")] });
  });

  const page = await api.list(pods, { limit: 500, labelSelector: "app=web" });

  expect(page).toMatchObject({
    resourceVersion: "41",
    next: "more",
    unreadable: 0,
    items: [{ metadata: { name: "web-1" } }],
  });
  expect(seen).toEqual([
    { url: "/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=500", authorization: "Bearer ada-token" },
  ]);
});

test("an object without a field that all must have doesn't hide the others", async () => {
  const api = await clientOf((_, response) =>
    send(response, 200, { metadata: { resourceVersion: "1" }, items: [{ metadata: {} }, podNamed("web-1")] }),
  );

  const page = await api.list(pods, {});

  expect(page.items.map(({ metadata }) => metadata.name)).toEqual(["web-1"]);
  expect(page.unreadable).toBe(1);
});

test.each([
  {
    what: "a quota",
    status: 403,
    body: { message: "exceeded quota: small", reason: "Forbidden" },
    error: { status: 403, reason: "Forbidden", message: "exceeded quota: small" },
  },
  {
    what: "a name that exists",
    status: 409,
    body: { message: 'pods "web" already exists', reason: "AlreadyExists" },
    error: { status: 409, reason: "AlreadyExists" },
  },
  { what: "an answer without a message", status: 500, body: {}, error: { status: 500, message: "{}" } },
])("$what is an error with the server's status, word and text", async ({ status, body, error }) => {
  const api = await clientOf((_, response) => send(response, status, body));

  await expect(api.create(pods, {})).rejects.toMatchObject({ name: "KubeError", ...error });
});

test("a busy API server says when to try again", async () => {
  const api = await clientOf((_, response) =>
    response.writeHead(429, { "retry-after": "3" }).end(JSON.stringify({ message: "too many requests" })),
  );

  await expect(api.get({ ...pods, name: "web" })).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3 });
});

test("a page of a proxy is not taken for an answer", async () => {
  const api = await clientOf((_, response) => response.writeHead(200).end("<html>Sign in</html>"));

  await expect(api.get({ ...pods, name: "web" })).rejects.toMatchObject({
    name: "KubeUnreachable",
    message: expect.stringContaining("is it a Kubernetes API server?"),
  });
});

test.each<[string, Answer]>([
  ["never answers", () => undefined],
  ["stops in the middle of its answer", (_, response) => response.writeHead(200).write('{"metadata":')],
])("an API server that %s is unreachable after the time limit", async (_, answer) => {
  const clock = stillClock();
  const api = await clientOf(answer, clock);

  const error = await asTimePasses(clock, () => api.get({ ...pods, name: "web" }).catch((error: unknown) => error));

  expect(error).toMatchObject({ name: "KubeUnreachable", message: expect.stringContaining("10 s") as unknown }); // a matcher of vitest
});

describe("an API server that closes the connection without an answer", () => {
  const asked: string[] = [];
  const hangsUp = (times: number) => {
    asked.length = 0;
    return clientOf((request, response) => {
      asked.push(request.method ?? "");
      if (asked.length <= times) request.socket.destroy();
      else send(response, 200, podNamed("web"));
    });
  };
  const closed = {
    name: "KubeUnreachable",
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ closed the connection$/u),
  };

  test("is read from once more", async () => {
    const api = await hangsUp(1);

    await expect(api.get({ ...pods, name: "web" })).resolves.toMatchObject({ metadata: { name: "web" } });
    expect(asked).toEqual(["GET", "GET"]);
  });

  test("wasn't away when it answers then: a right that is missing later is missing, not unknown yet", async () => {
    const message =
      'pods "web" is forbidden: User "ada" cannot get resource "pods" in API group "" in the namespace "shop"';
    let isFirst = true;
    const api = await clientOf((request, response) => {
      if (isFirst) request.socket.destroy();
      else if (request.url?.endsWith("/pods/web")) send(response, 403, { kind: "Status", message });
      else send(response, 200, podNamed("cart"));
      isFirst = false;
    });
    await api.get({ ...pods, name: "cart" });

    await expect(api.get({ ...pods, name: "web" })).rejects.toMatchObject({ status: 403, isEarly: false });
  });

  test("is unreachable when it does that again", async () => {
    const api = await hangsUp(2);

    await expect(api.get({ ...pods, name: "web" })).rejects.toMatchObject(closed);
    expect(asked).toEqual(["GET", "GET"]);
  });

  test("isn't sent a change again, which may have been made", async () => {
    const api = await hangsUp(1);

    await expect(api.create(pods, podNamed("web"))).rejects.toMatchObject(closed);
    expect(asked).toEqual(["POST"]);
  });
});

test("a request that its client gave up rejects with the client's reason", async () => {
  const api = await clientOf(() => undefined);
  const reason = new Error("the client is gone");

  await expect(api.get({ ...pods, name: "web" }, AbortSignal.abort(reason))).rejects.toBe(reason);
});

type Watched = { readonly events: WatchEvent<"Pod">[]; readonly ended: Promise<void> };

function watching(api: KubeApi, signal: AbortSignal = new AbortController().signal): Watched {
  const events: WatchEvent<"Pod">[] = [];
  const options = {
    resourceVersion: "1",
    timeoutSeconds: 60,
    onEvent: (event: WatchEvent<"Pod">) => events.push(event),
  };
  const ended = api.watch(pods, options, signal);
  ended.catch(() => undefined);
  return { events, ended };
}

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

test("a watch reads events that arrive in pieces, skips strange ones, and ends with the server", async () => {
  const text = [
    line("ADDED", podNamed("web-1")),
    line("MODIFIED", { metadata: {} }),
    line("BOOKMARK", { metadata: { resourceVersion: "9" } }),
    line("DELETED", podNamed("web-1")),
  ].join("");
  const api = await clientOf((_, response) => {
    response.writeHead(200);
    for (const part of text.match(/[^]{1,40}/gu) ?? []) response.write(part);
    response.end();
  });

  const { events, ended } = watching(api);
  await ended;

  expect(events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK", "DELETED"]);
});

test("a watch from a version that the server has forgotten is an error 410", async () => {
  const api = await clientOf((_, response) =>
    response.writeHead(200).end(line("ERROR", { code: 410, reason: "Expired", message: "too old resource version" })),
  );

  await expect(watching(api).ended).rejects.toMatchObject({ name: "KubeError", status: 410, reason: "Expired" });
});

test("a watch whose connection breaks is unreachable", async () => {
  const api = await clientOf((request, response) => {
    response.writeHead(200);
    response.write(line("ADDED", podNamed("web-1")), () => request.socket.destroy());
  });

  await expect(watching(api).ended).rejects.toMatchObject({ name: "KubeUnreachable" });
});

test("a watch that sends half an event is unreachable, not a crash", async () => {
  const api = await clientOf((_, response) => response.writeHead(200).end('{"type":"ADDED","obj'));

  await expect(watching(api).ended).rejects.toMatchObject({ name: "KubeUnreachable" });
});

test("a watch ends when its reader stops it", async () => {
  const stop = new AbortController();
  const api = await clientOf((_, response) => response.writeHead(200).write(line("ADDED", podNamed("web-1"))));

  const { events, ended } = watching(api, stop.signal);
  await expect.poll(() => events.length).toBe(1);
  stop.abort(new Error("closing"));

  await expect(ended).rejects.toThrow("closing");
});
