import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { manyServices } from "../support/many-services.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";

/** Another site's page, on another port of the same machine. */
async function strangerPage() {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>A stranger</title>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Attempts of a page to type a command on another origin: without a preflight, as a form could, and with one. */
function typing(address: string): string {
  const body = JSON.stringify({ as: "dana", channel: "C0OPS", text: "/gantry delete web" });
  return `Promise.all([
    fetch(${JSON.stringify(address)}, { method: "POST", mode: "no-cors", body: ${JSON.stringify(body)} }),
    fetch(${JSON.stringify(address)}, { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(body)} }),
  ].map((attempt) => attempt.then((answer) => answer.type + " " + answer.status, (error) => error.name)))`;
}

story("a page whose modules don't load", (open) => {
  test.each([
    [
      "one is refused",
      { status: 500, body: "" },
      /^This page couldn't start: \/page\/blocks\/blocks\.ts was refused\. Check/u,
    ],
    [
      "one is broken",
      { contentType: "text/javascript", body: "const = 1" },
      /^This page couldn't start: .*SyntaxError/u,
    ],
  ])("%s: the page says so", async (_, answer, sentence) => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });
    await using page = await dana.page.context().newPage();
    await page.route("**/page/blocks/blocks.ts", (route) => route.fulfill(answer));

    await page.goto(town.playgroundUrl);

    expect(await page.getByRole("alert").textContent()).toMatch(sentence);
  });
});

story("another page in the same browser", (open) => {
  test("it can neither type commands nor read messages", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using stranger = await strangerPage();
    await using dana = await open({ url: town.playgroundUrl });
    await dana.says("a secret of #ops");
    await dana.sees("a secret of #ops");

    await using page = await dana.page.context().newPage();
    await page.goto(stranger.url);
    const attempts = await page.evaluate<string[]>(typing(`${town.playgroundUrl}/playground/do/say`));
    const read = await page.evaluate<string>(
      `fetch("${town.playgroundUrl}/playground/state").then((answer) => answer.text(), (error) => error.name)`,
    );
    const stream = await page.evaluate<string>(`new Promise((resolve) => {
      const events = new EventSource("${town.playgroundUrl}/playground/events?as=dana");
      events.onmessage = () => resolve("opened");
      events.onerror = () => resolve("refused");
    })`);

    expect(attempts).toEqual(["opaque 0", "TypeError"]);
    expect([read, stream]).toEqual(["TypeError", "refused"]);
    expect(town.playground.transcript().filter(({ direction }) => direction === "to bot")).toEqual([]);
    expect(town.developer.sees("ops").map(({ text }) => text)).toEqual(["a secret of #ops"]);
  });

  test("text of people and bots is never treated as HTML", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says('<img src=x onerror="document.title=1"> <script>document.title=2</script> javascript:alert(1)');
    await dana.sees("<img src=x");

    expect(await dana.newest().locator("img, script").count()).toBe(0);
    expect(await dana.newest().getByRole("link").count()).toBe(0);
    expect(await dana.page.title()).toContain("#ops");
  });
});
