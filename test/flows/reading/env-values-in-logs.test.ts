import { expect, test } from "vitest";
import { type World, world } from "../../support/world.ts";

const env = [
  { name: "BASIC_AUTH", value: "bob:swordfish" },
  { name: "NODE_ENV", value: "production" },
  { name: "GREETING", value: "correct horse" },
];
const lines = ["login as bob:swordfish", "running in production", "said correct horse to web", "on port 8080"];

/** A service `web` with those variables, which it writes into its log. */
async function web({ url }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  if (pathname.endsWith("/services/web/logs")) return Response.json(lines.map((log) => ({ log })));
  if (pathname.endsWith("/services/web")) return Response.json({ name: "web", containers: [{ image: "x", env }] });
  return Response.json({ message: "no such thing" }, { status: 404 });
}

async function thread(town: World): Promise<string> {
  await town.settled();
  return town.thread("ops").join("\n");
}

test("environment values are redacted from the workload's log once the bot has read them", async () => {
  await using town = await world({ apiFetch: web });

  await town.developer.says("/gantry show web", { channel: "ops" });
  await town.settled();
  const before = town.calls().length;
  await town.developer.says("/gantry logs web", { channel: "ops" });
  const shown = await thread(town);

  expect(shown).toContain("login as [redacted]");
  expect(shown).toContain("said [redacted] to web");
  expect(shown).toContain("running in production");
  expect(shown).toContain("on port 8080");
  expect(JSON.stringify(town.playground.transcript())).not.toContain("swordfish");
  expect(town.calls().slice(before).toSorted()).toEqual(["getJob", "getServiceLogs"]);
});

test("an explicitly named service is read along with its log, within two calls, and not again for a while", async () => {
  await using town = await world({ apiFetch: web });

  await town.developer.says("/gantry logs service/web", { channel: "ops" });
  const shown = await thread(town);
  const first = town.calls().toSorted();
  await town.developer.says("/gantry logs service/web", { channel: "ops" });
  await town.settled();

  expect(shown).toContain("login as [redacted]");
  expect(JSON.stringify(town.playground.transcript())).not.toContain("swordfish");
  expect(first).toEqual(["getService", "getServiceLogs"]);
  expect(town.calls()).toHaveLength(3);
});
