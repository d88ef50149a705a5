import { expect, test } from "vitest";
import { newest, type World, world } from "../../support/world.ts";

type Line = { instance_name: string; log: string };

/** A service `web` of the API whose log of today is what the test says; other names are unknown. */
function serviceLogging(lines: readonly Line[]): (request: Request) => Promise<Response> {
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith("/services/web/logs")) {
      const from = Number(searchParams.get("from"));
      const end = Math.max(0, lines.length - from);
      return Response.json(lines.slice(Math.max(0, end - Number(searchParams.get("size"))), end));
    }
    if (pathname.endsWith("/services")) return Response.json({ region: "beijing1", services: [{ name: "web" }] });
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    return Response.json({ message: "no such thing" }, { status: 404 });
  };
}

function lines(count: number, text: (at: number) => string = (at) => `line ${at}`): Line[] {
  return Array.from({ length: count }, (_, at) => ({ instance_name: `web-${at % 2}`, log: text(at + 1) }));
}

async function says(town: World, text: string, channel = "ops"): Promise<string> {
  await town.developer.says(text, { channel });
  await town.settled();
  return newest(town.developer, channel);
}

test("log lines stand in a thread, oldest first, each with its instance", async () => {
  await using town = await world({ apiFetch: serviceLogging(lines(4)) });

  await says(town, "/gantry logs web");

  const [head, reply] = town.thread("ops");
  expect(head).toMatch(
    /^📄 web · all 4 lines of today\n\d{4}-\d{2}-\d{2} · since midnight UTC\nRequested by Dana Reyes/u,
  );
  expect(reply).toMatch(/web-0.*line 1\n.*web-1.*line 2\n[\s\S]*line 4/u);
  expect(town.approver.sees("ops").length).toBe(2);
});

test("only matching lines are shown, and the head says how many of how many", async () => {
  await using town = await world({
    apiFetch: serviceLogging(lines(100, (at) => (at % 50 === 0 ? `ERROR at ${at}` : "ok"))),
  });

  await says(town, "/gantry logs web --grep ‘error’");

  const [head, reply] = town.thread("ops");
  expect(head).toContain("last 100 lines of today · 2 match error");
  expect(reply).toContain("ERROR at 50");
  expect(reply).not.toContain("ok");
});

test("no lines, no match, and an unknown name are three different answers", async () => {
  await using empty = await world({ apiFetch: serviceLogging([]) });
  await using some = await world({ apiFetch: serviceLogging(lines(3)) });

  const answers = [
    await says(empty, "/gantry logs web"),
    await says(some, "/gantry logs web --grep zebra"),
    await says(some, "/gantry logs wbe"),
  ];

  expect(answers[0]).toMatch(/no log lines today/u);
  expect(answers[1]).toMatch(/Nothing in the logs of web matches zebra/u);
  expect(answers[2]).toContain("Did you mean web?");
  expect(new Set(answers).size).toBe(3);
});

test("where the bot is no member, the asker alone gets the excerpt, and learns how to invite it", async () => {
  await using town = await world({ apiFetch: serviceLogging(lines(3)) });

  const answer = await says(town, "/gantry logs web", "general");

  const all = town.developer
    .sees("general")
    .map(({ text }) => text)
    .join("\n");
  expect(all).toContain("line 3");
  expect(all).toContain("/invite");
  expect(answer).not.toBe("");
  expect(town.approver.sees("general")).toEqual([]);
});

test("--private is for the asker only", async () => {
  await using town = await world({ apiFetch: serviceLogging(lines(3)) });

  expect(await says(town, "/gantry logs web --private")).toContain("line 3");
  expect(town.approver.sees("ops")).toEqual([]);
});

test("a long excerpt is one file, with its last lines inline", async () => {
  await using town = await world({ apiFetch: serviceLogging(lines(1000, (at) => `line ${at} ${"x".repeat(80)}`)) });

  await says(town, "/gantry logs web --size 1000");

  const files = town.developer.sees("ops").flatMap((message) => message.files);
  expect(files.length).toBe(1);
  expect(files[0]?.content).toContain("line 1 ");
  expect(files[0]?.content).toContain("line 1000 ");
  expect(town.thread("ops")[1]).toContain("line 1000 ");
  expect(town.thread("ops")[1]).toMatch(/Last \d+ of 1,000 lines\. All of them are in the file below\./u);
});

test("secrets in log lines do not reach Slack, in the thread or in the file", async () => {
  const secrets = [
    "AKIAIOSFODNN7EXAMPLE",
    "hunter2-very-secret",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
  ];
  const texts = [`key ${secrets[0]}`, `db password=${secrets[1]}`, `Authorization: Bearer ${secrets[2]}`, "harmless"];
  await using town = await world({ apiFetch: serviceLogging(texts.map((log) => ({ instance_name: "web-0", log }))) });

  await says(town, "/gantry logs web");
  await says(town, "/gantry logs web --private");

  const seen = JSON.stringify([town.developer.sees("ops"), town.playground.transcript()]);
  expect(seen).toContain("harmless");
  for (const secret of secrets) expect(seen).not.toContain(secret);
});

test("a day to come, a day that is none, and a bad expression cost no call", async () => {
  await using town = await world({ apiFetch: serviceLogging(lines(3)) });

  expect(await says(town, "/gantry logs web --date 2999-01-01")).toContain("is in the future");
  expect(await says(town, "/gantry logs web --date 2026-02-30")).toContain("I don't know the day “2026-02-30”");
  expect(await says(town, "/gantry logs web --grep (")).not.toContain("broke");
  expect(town.calls()).toEqual([]);
});
