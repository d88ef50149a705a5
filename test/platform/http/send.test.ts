import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createNetwork, directNetwork } from "../../../src/platform/http/network.ts";
import { reply } from "../../../src/bot/slack/send/response-url.ts";
import { testProxy } from "../../support/proxy.ts";

/** The address of a server that answers like this. */
async function server(listener: RequestListener): Promise<string> {
  const listening = createServer(listener);
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`; // it listens on a host and a port
}

const message = { text: "Hello.", response_type: "ephemeral", replace_original: false } as const; // the names of kinds
const away = new TypeError("no connection, or it broke off");
const soon = { json: "{}", withinMs: 60_000 };

test("JSON is posted, and the answer comes with its status and headers", async () => {
  const url = await server((request, response) => {
    response.writeHead(429, { "retry-after": "2", "content-type": "text/plain" });
    response.write(`${request.method} ${request.headers["content-type"]} `);
    request.pipe(response);
  });

  const answer = await directNetwork.post(url, { ...soon, json: '{"text":"é"}' });

  expect([answer.status, answer.text]).toEqual([429, 'POST application/json; charset=utf-8 {"text":"é"}']);
  expect([answer.headers.get("Retry-After"), answer.headers.get("x-other")]).toEqual(["2", null]);
});

test.each([
  ["no answer", () => undefined],
  ["an answer that doesn't end", (_, response) => void response.write("o")],
] satisfies [string, RequestListener][])("%s is given up in time", async (_, listener) => {
  const url = await server(listener);

  await expect(directNetwork.post(url, { json: "{}", withinMs: 50 })).rejects.toMatchObject({ name: "TimeoutError" });
});

test("an answer that breaks off, or a server that is away, rejects as a lost connection", async () => {
  const broken = await server((_, response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("o", () => response.destroy());
  });

  await expect(directNetwork.post(broken, soon)).rejects.toThrow(away);
  await expect(directNetwork.post("http://127.0.0.1:9/", soon)).rejects.toThrow(away);
  // An answer to a read is sent again when there is a connection.
  const refused = await reply("http://127.0.0.1:9/", message, {
    post: directNetwork.post,
    wait: () => Promise.resolve(),
  });
  expect(refused).toMatchObject({ kind: "unsure", mayBeDone: false });
});

test("of a long answer only the beginning is read", async () => {
  const url = await server((_, response) => void response.end("x".repeat(1_000_000)));

  expect((await directNetwork.post(url, soon)).text).toHaveLength(65_536);
});

test.each([
  ["as it is", {}, Buffer.from("the beginning")],
  ["compressed", { "content-encoding": "gzip" }, gzipSync("x".repeat(100_000)).subarray(0, 30)],
])("dropping an answer, %s, ends a read in progress and the connection", async (_, headers, beginning) => {
  const closed = Promise.withResolvers<void>();
  const url = await server((_, response) => {
    response.on("close", () => closed.resolve());
    response.writeHead(200, headers).write(beginning);
  });
  const answer = await directNetwork.send(url, { method: "GET", headers: {}, signal: new AbortController().signal });
  const reading = (async () => {
    while ((await answer.read()) !== undefined);
  })();

  answer.end();

  await expect(reading).rejects.toThrow(/aborted|broke off/iu);
  await closed.promise;
});

test("a redirect is an answer, and isn't followed", async () => {
  const url = await server((_, response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end());

  expect(await directNetwork.post(url, soon)).toMatchObject({ status: 302 });
});

test("a post goes through the proxy", async () => {
  const url = await server((_, response) => response.end("ok"));
  await using proxy = await testProxy({ hosts: { "hooks.test": Number(new URL(url).port) } });
  const network = createNetwork({ httpProxy: proxy.url, httpsProxy: undefined, noProxy: undefined });
  onTestFinished(network.close);

  expect((await network.post("http://hooks.test/1", soon)).text).toBe("ok");
  expect(proxy.passed).toEqual(["POST http://hooks.test/1"]);
});
