import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { connectionBudget } from "../../../src/platform/http/guard-server.ts";
import { httpServer } from "../../../src/platform/http/listen.ts";
import { stillClock } from "../../support/test-clock.ts";
import { idleConnection, rawAnswer } from "../../support/raw-http.ts";
import { until } from "../../support/until.ts";

type Options = Parameters<typeof httpServer>[1];

const hello = async (): Promise<Response> => Response.json({ hello: true });

async function listening(fetch: Parameters<typeof httpServer>[0], options?: Options) {
  const server = httpServer(fetch, options);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const closed = Promise.withResolvers<void>();
  server.once("close", closed.resolve);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await closed.promise;
  });
  const { port } = server.address() as AddressInfo; // it listens on a host and a port
  return { server, port, url: `http://127.0.0.1:${port}/` };
}

function connections(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.getConnections((_error, count) => resolve(count));
  return promise;
}

const patience = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 20 };
const post = "POST / HTTP/1.1\r\nHost: x\r\n";

test.each([
  ["no HTTP at all", "hello\r\n\r\n", 400],
  ["a method that does not exist", "FETCH / HTTP/1.1\r\nHost: x\r\n\r\n", 400],
  ["no Host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  ["a Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", 400],
  ["two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n", 400],
  ["two lengths", `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
  ["a chunk without a size", `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
  ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 400],
  ["headers over 16 KB", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ["a path over 16 KB", `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ["chunk extensions over 16 KB", `${post}Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}\r\n`, 413],
  ["an expectation", `${post}Expect: tea\r\nContent-Length: 0\r\n\r\n`, 417],
  ["nothing within the time", "", 408],
  ["half of the headers within the time", "GET / HTTP/1.1\r\nHo", 408],
  ["half of the body within the time", `${post}Content-Length: 100\r\n\r\nhalf`, 408],
])("who sends %s gets a JSON body with a sentence", async (_, bytes, status) => {
  const limits = status === 408 ? patience : {};
  const { port } = await listening(async (request) => Response.json(await request.text()), { limits });

  const [head = "", body = ""] = (await rawAnswer(port, bytes)).split("\r\n\r\n");

  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `, "u"));
  expect(head.toLowerCase()).toContain("content-type: application/json");
  expect(JSON.parse(body)).toEqual({ message: expect.stringMatching(/\w+ \w+ \w+/u) });
});

test("a failing handler gives a 500 with a JSON body and is reported", async () => {
  const told: string[] = [];
  const onTrouble = (message: string): void => void told.push(message);
  const { url } = await listening(() => Promise.reject(new Error("a bug")), { onTrouble });

  const response = await fetch(url);

  expect([response.status, await response.json()]).toEqual([500, { message: expect.not.stringContaining("a bug") }]);
  expect(told).toEqual(["an HTTP request handler failed"]);
});

test("a port that is in use is no trouble with a connection: the caller reports it", async () => {
  const told: string[] = [];
  const { port } = await listening(hello);
  const second = httpServer(hello, { onTrouble: (message) => void told.push(message) });

  second.listen(port, "127.0.0.1");
  const [error] = (await once(second, "error")) as [NodeJS.ErrnoException]; // Node's event

  expect(error.code).toBe("EADDRINUSE");
  expect(told).toEqual([]);
});

test("a stop answers what it was asked, and tells the client to use another connection", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const { server, port } = await listening(() => {
    asked.resolve();
    return answer.promise;
  });
  const answered = rawAnswer(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await asked.promise;

  server.close();
  answer.resolve(Response.json({ hello: true }));

  expect(await answered).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*^connection: close\r\n[^]*\{"hello":true\}/imu);
});

test("many idle connections don't keep requests from being answered", async () => {
  const told: string[] = [];
  const { server, port, url } = await listening(hello, { most: 8, onTrouble: (message) => void told.push(message) });

  for (let index = 0; index < 40; index += 1) {
    const [socket] = await Promise.all([idleConnection(port), index % 8 === 0 ? fetch(url).then((r) => r.json()) : {}]);
    onTestFinished(() => void socket.destroy());
  }

  expect(await (await fetch(url)).json()).toEqual({ hello: true });
  expect(await connections(server)).toBeLessThanOrEqual(8);
  expect(told).toEqual(["too many connections: closing idle ones"]);
});

test("idle connections don't cut off a slow request", async () => {
  const { promise: done, resolve: finish } = Promise.withResolvers<Response>();
  let isAsked = false;
  const { port, url } = await listening(
    () => {
      isAsked = true;
      return done;
    },
    { most: 8 },
  );
  const answer = fetch(url);
  await until(() => isAsked);

  for (let index = 0; index < 40; index += 1) {
    const socket = await idleConnection(port);
    onTestFinished(() => void socket.destroy());
  }
  finish(Response.json({ took: "long" }));

  expect(await (await answer).json()).toEqual({ took: "long" });
});

test("a WebSocket stays open, however many idle connections are opened", async () => {
  const sockets = new WebSocketServer({ noServer: true });
  const { port } = await listening(hello, {
    most: 8,
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (opened) => opened.on("message", (data) => opened.send(data))),
  });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  onTestFinished(() => socket.terminate());
  await once(socket, "open");

  for (let index = 0; index < 40; index += 1) {
    const idle = await idleConnection(port);
    onTestFinished(() => void idle.destroy());
  }
  socket.send("still here?");

  expect(String(await once(socket, "message"))).toContain("still here?");
});

test("a connection between two requests stays open, however many idle ones are opened", async () => {
  const { port } = await listening(hello, { most: 8 });
  const inUse = await idleConnection(port);
  onTestFinished(() => void inUse.destroy());
  const received: string[] = [];
  inUse.setEncoding("utf8").on("data", (text: string) => received.push(text));
  const answers = () => received.join("").split("HTTP/1.1 200 OK").length - 1;
  inUse.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => answers() === 1);

  for (let index = 0; index < 40; index += 1) {
    const socket = await idleConnection(port);
    onTestFinished(() => void socket.destroy());
  }
  inUse.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  await until(() => answers() === 2 || inUse.destroyed);
  expect(answers()).toBe(2);
});

test("connections in use keep no newcomer out", async () => {
  const { port, url } = await listening(hello, { most: 8 });

  for (let index = 0; index < 40; index += 1) {
    const socket = await idleConnection(port);
    onTestFinished(() => void socket.destroy());
    const answer = Promise.race([once(socket, "data"), once(socket, "close")]);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await answer;
  }

  expect((await fetch(url)).status).toBe(200);
});

test("an incomplete request counts as idle, so slow senders block nobody", async () => {
  const { port, url } = await listening(async (request) => Response.json((await request.text()).length), { most: 8 });

  for (let index = 0; index < 40; index += 1) {
    const socket = await idleConnection(port);
    socket.write(`${post}Content-Length: 100\r\n\r\nhalf`);
    onTestFinished(() => void socket.destroy());
  }

  expect((await fetch(url)).status).toBe(200);
});

test("a connection that can't be accepted is reported once a minute and stops nothing", async () => {
  const told: string[] = [];
  const clock = stillClock();
  const { server, url } = await listening(hello, { clock, onTrouble: (message) => void told.push(message) });
  const noFiles = Object.assign(new Error("accept EMFILE"), { code: "EMFILE", syscall: "accept" });

  for (let count = 0; count < 3; count += 1) server.emit("error", noFiles);

  expect(await (await fetch(url)).json()).toEqual({ hello: true });
  expect(told).toEqual(["couldn't accept a connection"]);
  await clock.passMs(60_000);
  server.emit("error", noFiles);
  expect(told).toHaveLength(2);
});

test("connections get a quarter of the open-file limit", () => {
  expect([64, 256, 512, 1_024, 1_048_576, Number.POSITIVE_INFINITY].map((files) => connectionBudget(files))).toEqual([
    16, 64, 128, 256, 1_000, 1_000,
  ]);
});
