import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logDate } from "../../../src/api/log-pages.ts";
import { numberedLines, servedLogs } from "../../support/served-log.ts";
import { says, saysIn, whispers } from "../../support/speak.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { type World, world } from "../../support/world.ts";

const today = logDate(BEGINNING, "UTC");
const secrets = [
  "AKIAIOSFODNN7EXAMPLE",
  "hunter2-very-secret",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
];
const withSecrets = [
  `key ${secrets[0]}`,
  `db password=${secrets[1]}`,
  `Authorization: Bearer ${secrets[2]}`,
  "harmless",
];

// Which lines are shown of a log, and what is said about them: test/bot/commands/verbs/logs.
describe("log lines", () => {
  let town: World;
  beforeAll(async () => {
    town = await world({
      apiFetch: servedLogs({
        web: { [today]: numberedLines(1, 4) },
        long: { [today]: numberedLines(1, 1000, (at) => `line ${at}. ${"x".repeat(80)}`) },
        login: { [today]: withSecrets.map((log) => ({ instance_name: "login-0", log })) },
      }),
    });
  });
  afterAll(async () => town.close());

  test("stand in a thread, oldest first, each with its instance", async () => {
    const before = town.approver.sees("ops").length;

    await says(town, town.developer, "/gantry logs web");

    const [head, reply] = town.thread("ops");
    expect(head).toMatch(
      /^📄 web · all 4 lines of today\n\d{4}-\d{2}-\d{2} · since midnight UTC\nRequested by Dana Reyes/u,
    );
    expect(reply).toMatch(/web-0.*line 1\.\n.*web-1.*line 2\.\n[\s\S]*line 4\./u);
    expect(town.approver.sees("ops").length - before).toBe(2);
  });

  test("are for the asker alone with --private, and where the bot is no member, who learns how to invite it", async () => {
    const before = town.approver.sees("ops").length;
    expect(await says(town, town.developer, "/gantry logs web --private")).toContain("line 3.");
    expect(town.approver.sees("ops").length).toBe(before);

    await saysIn(town, { person: town.developer, channel: "general" }, "/gantry logs web");

    const all = whispers(town.developer, "general").join("\n");
    expect(all).toContain("line 3.");
    expect(all).toContain("/invite");
    expect(town.approver.sees("general")).toEqual([]);
  });

  test("don't bring their secrets to Slack", async () => {
    await says(town, town.developer, "/gantry logs login");
    await says(town, town.developer, "/gantry logs login --private");

    const seen = JSON.stringify([town.developer.sees("ops"), town.playground.transcript()]);
    expect(seen).toContain("harmless");
    for (const secret of secrets) expect(seen).not.toContain(secret);
  });
});

describe("the values of a workload's environment", () => {
  const env = [
    { name: "BASIC_AUTH", value: "bob:swordfish" },
    { name: "NODE_ENV", value: "production" },
    { name: "GREETING", value: "correct horse" },
  ];
  const written = ["login as bob:swordfish", "running in production", "said correct horse to web", "on port 8080"];

  /** Services with those variables, which they write into their logs. */
  async function services({ url }: Request): Promise<Response> {
    const [, name, log] = /\/services\/(web|shop)(\/logs)?$/u.exec(new URL(url).pathname) ?? [];
    if (name === undefined) return Response.json({ message: "no such thing" }, { status: 404 });
    return Response.json(
      log === undefined ? { name, containers: [{ image: "x", env }] } : written.map((text) => ({ log: text })),
    );
  }

  let town: World;
  beforeAll(async () => {
    town = await world({ apiFetch: services });
  });
  afterAll(async () => town.close());

  /** What is in the thread of #ops that a command leads to, and which calls it costs. */
  async function logsOf(text: string): Promise<{ readonly shown: string; readonly calls: readonly string[] }> {
    const before = town.calls().length;
    await town.developer.says(text, { channel: "ops" });
    await town.settled();
    return { shown: town.thread("ops").join("\n"), calls: town.calls().slice(before).toSorted() };
  }

  test("are redacted from its log once the bot has read them", async () => {
    await logsOf("/gantry show web");
    const { shown, calls } = await logsOf("/gantry logs web");

    expect(shown).toContain("login as [redacted]");
    // Neither its name nor its value is that of a secret.
    expect(shown).toContain("said correct horse to web");
    expect(shown).toContain("running in production");
    expect(shown).toContain("on port 8080");
    expect(JSON.stringify(town.playground.transcript())).not.toContain("swordfish");
    expect(calls).toEqual(["getJob", "getServiceLogs"]);
  });

  test("are read along with the log of an explicitly named service, within two calls, and not again for a while", async () => {
    const first = await logsOf("/gantry logs service/shop");
    const again = await logsOf("/gantry logs service/shop");

    expect(first.shown).toContain("login as [redacted]");
    expect(JSON.stringify(town.playground.transcript())).not.toContain("swordfish");
    expect(first.calls).toEqual(["getService", "getServiceLogs"]);
    expect(again.calls).toEqual(["getServiceLogs"]);
  });
});
