import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createNetwork, directNetwork, type ProxySettings } from "../../../src/platform/http/network.ts";
import { testProxy } from "../../support/proxy.ts";

/** A server on a free port that says which address it was asked for. */
async function echo(): Promise<number> {
  const server = createServer(({ headers, method }, response) => response.end(`${method} for ${headers.host}`));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on a host and a port
}

function networkWith(settings: Partial<ProxySettings>) {
  const network = createNetwork({ httpsProxy: undefined, httpProxy: undefined, noProxy: undefined, ...settings });
  onTestFinished(network.close);
  return network;
}

test("requests go through the proxy, with its password", async () => {
  await using proxy = await testProxy({ hosts: { "workloads.test": await echo() }, login: "dana:p@ss" });
  const { fetch } = networkWith({ httpProxy: proxy.url.replace("//", "//dana:p%40ss@") });

  const answer = await fetch("http://workloads.test/v1", { method: "POST", body: "{}" });
  const asked = await fetch(new Request("http://workloads.test/v2"));

  expect([await answer.text(), await asked.text()]).toEqual(["POST for workloads.test", "GET for workloads.test"]);
  expect(proxy.passed).toEqual(["POST http://workloads.test/v1", "GET http://workloads.test/v2"]);
});

test("hosts of NO_PROXY and servers of this machine are reached without the proxy", async () => {
  const port = await echo();
  await using proxy = await testProxy({ hosts: {} });
  const { fetch } = networkWith({ httpProxy: proxy.url, httpsProxy: proxy.url, noProxy: ".internal" });

  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe(`GET for 127.0.0.1:${port}`);
  expect(await (await fetch(`http://localhost:${port}/`)).text()).toBe(`GET for localhost:${port}`);
  await expect(fetch("http://workloads.internal/")).rejects.toThrow("fetch failed");
  expect((await fetch("http://workloads.test/")).status).toBe(502);
  expect(proxy.passed).toEqual([]);
});

test("without a proxy nothing stands between", () => {
  expect(networkWith({ noProxy: "internal" })).toBe(directNetwork);
});
