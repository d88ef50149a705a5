import { afterAll, beforeAll, expect, test } from "vitest";
import { type World, world } from "../../support/world.ts";

const env = [
  { name: "BASIC_AUTH", value: "bob:swordfish" },
  { name: "NODE_ENV", value: "production" },
  { name: "GREETING", value: "correct horse" },
];
const lines = ["login as bob:swordfish", "running in production", "said correct horse to web", "on port 8080"];

/** Services with those variables, which they write into their logs. */
async function services({ url }: Request): Promise<Response> {
  const [, name, log] = /\/services\/(web|shop)(\/logs)?$/u.exec(new URL(url).pathname) ?? [];
  if (name === undefined) return Response.json({ message: "no such thing" }, { status: 404 });
  return Response.json(
    log === undefined ? { name, containers: [{ image: "x", env }] } : lines.map((text) => ({ log: text })),
  );
}

let town: World;
beforeAll(async () => {
  town = await world({ apiFetch: services });
});
afterAll(async () => town.close());

/** What is in the thread of #ops that a command leads to, and which calls it costs. */
async function says(text: string): Promise<{ readonly shown: string; readonly calls: readonly string[] }> {
  const before = town.calls().length;
  await town.developer.says(text, { channel: "ops" });
  await town.settled();
  return { shown: town.thread("ops").join("\n"), calls: town.calls().slice(before).toSorted() };
}

test("environment values are redacted from the workload's log once the bot has read them", async () => {
  await says("/gantry show web");
  const { shown, calls } = await says("/gantry logs web");

  expect(shown).toContain("login as [redacted]");
  expect(shown).toContain("said [redacted] to web");
  expect(shown).toContain("running in production");
  expect(shown).toContain("on port 8080");
  expect(JSON.stringify(town.playground.transcript())).not.toContain("swordfish");
  expect(calls).toEqual(["getJob", "getServiceLogs"]);
});

test("an explicitly named service is read along with its log, within two calls, and not again for a while", async () => {
  const first = await says("/gantry logs service/shop");
  const again = await says("/gantry logs service/shop");

  expect(first.shown).toContain("login as [redacted]");
  expect(JSON.stringify(town.playground.transcript())).not.toContain("swordfish");
  expect(first.calls).toEqual(["getService", "getServiceLogs"]);
  expect(again.calls).toEqual(["getServiceLogs"]);
});
