import { describe, expect, test } from "vitest";
import { sendRawRequests } from "../../fuzz/raw/send-raw.ts";
import { pathsOf } from "../../fuzz/raw/targets.ts";
import { rawAnswer } from "../../support/raw-http.ts";
import { world } from "../../support/world.ts";

// What ends a process here fails the run: Vitest counts uncaught errors. `npm run test:fuzz` sends ten times as many.

const close = "\r\nConnection: close\r\n\r\n";
const some = { seed: 24, count: 100 };

describe.each(["http", "socket"] as const)("over %s", (transport) => {
  test("requests that are none get a 400, on the bot's port and on the playground's", async () => {
    await using w = await world({ transport });
    const ports = [w.botUrl(), w.playgroundUrl].map((url) => Number(new URL(url).port));

    for (const port of ports) {
      for (const line of [
        "GET // HTTP/1.1\r\nHost: x",
        "GET http://: HTTP/1.1\r\nHost: x",
        "GET / HTTP/1.1\r\nHost: a:b",
      ]) {
        expect(await rawAnswer(port, line + close)).toMatch(/^HTTP\/1.1 40[034] /u);
      }
      expect(await rawAnswer(port, `GET / HTTP/1.1\r\nHost: 999.999.999.999${close}`)).toMatch(/^HTTP\/1.1 400 /u);
    }
    const found = await Promise.all([
      sendRawRequests({ name: "bot", port: ports[0] ?? 0, ...botOf(w.botUrl()), ended: () => undefined }, some),
      sendRawRequests(
        { name: "playground", port: ports[1] ?? 0, ...pageOf(w.playgroundUrl), ended: () => undefined },
        some,
      ),
    ]);

    expect(found.flat()).toEqual([]);
  });
});

function botOf(url: string) {
  return { host: new URL(url).host, paths: pathsOf.bot, well: "/healthz" };
}

function pageOf(url: string) {
  return { host: new URL(url).host, paths: pathsOf.playground, well: "/" };
}
