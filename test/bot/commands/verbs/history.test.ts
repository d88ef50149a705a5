import { describe, expect, test } from "vitest";
import { refusedRead } from "../../../../src/bot/commands/lookup/authorize.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { drawn } from "../../views/support/drawn.ts";
import { carried, click } from "../support/buttons.ts";
import { answerTo, now, scripted } from "../support/script.ts";
import { event, events } from "../support/stored.ts";

describe("paging", () => {
  test("pages of twenty go on where the last one ended, and turn back page by page", async () => {
    const town = scripted({ events: events(45) });
    const first = await answerTo("history web", town);
    const second = await click(first, "Older", town);
    const third = await click(second, "Older", town);

    const seen = [first, second, third].flatMap((page) => drawn(page).match(/event \d+/gu) ?? []);
    expect(seen).toEqual(events(45).map(({ result }) => result));
    expect(carried(first, "Newer")).toBeUndefined();
    expect(carried(third, "Older")).toBeUndefined();
    const back = await click(third, "Newer", town);
    expect(drawn(back)).toBe(drawn(second));
    expect(drawn(await click(back, "Newer", town))).toBe(drawn(first));
    expect(town.queries.map(({ workload, before, limit }) => [workload?.name, before, limit])).toEqual([
      ["web", undefined, 20],
      ["web", 26, 20],
      ["web", 6, 20],
      ["web", 26, 20],
      ["web", undefined, 20],
    ]);
  });

  test("exactly twenty have no next page", async () => {
    expect(carried(await answerTo("history", { events: events(20) }), "Older")).toBeUndefined();
  });
});

describe("filters", () => {
  test.each<[string, object]>([
    ["history", {}],
    ["history service/web", { workload: { name: "web" } }],
    ["history --by <@U0DANA|dana>", { userId: "U0DANA" }],
    ["history --by <@U0DANA>", { userId: "U0DANA" }],
    ["history --since 30m", { since: new Date("2026-11-21T11:30:00Z") }],
    ["history --since 12H", { since: new Date("2026-11-21T00:00:00Z") }],
    ["history --since 7d", { since: new Date("2026-11-14T12:00:00Z") }],
    ["history --since 2w", { since: new Date("2026-11-07T12:00:00Z") }],
    ["history --since 2026-11-20", { since: new Date("2026-11-20T00:00:00Z") }],
    ["history --since 2026.11.20", { since: new Date("2026-11-20T00:00:00Z") }],
    ["history --before 12", { before: 12 }],
    ["history web --verb restart", { workload: { name: "web" }, verbs: ["restart"] }],
    ["history --verb Deploy,rollback", { verbs: ["deploy", "rollback"] }],
  ])("%s", async (text, query) => {
    const town = scripted();

    await answerTo(text, town);

    expect(town.queries).toEqual([{ ...query, show: "outcomes", limit: 20 }]);
  });

  test("who did it last is one line, and its button shows the others", async () => {
    const town = scripted({ events: events(3) });

    const message = await answerTo("history web --verb restart --last", town);

    expect(town.queries).toEqual([{ workload: { name: "web" }, verbs: ["restart"], show: "outcomes", limit: 1 }]);
    expect(message.text.split("\n")).toHaveLength(1);
    expect(carried(message, "History")).toMatchObject({ args: { name: "web", verb: "restart" } });
  });

  test("every command that changes something can be asked for, and nothing else", () => {
    expect(() => parseText("history --verb list")).toThrow(
      "History has no “list”. Use some of create, run, scale, memory, domains, start, stop, restart, deploy, rollback, env, " +
        "delete, watch, unwatch, mute, unmute, use, connect, disconnect.",
    );
    expect(() => parseText("history --verb restart,")).toThrow("History has no “”.");
  });

  test("a page by command goes on with it", async () => {
    const town = scripted({ events: events(45) });
    const first = await answerTo("history web --verb scale,restart", town);

    await click(first, "Older", town);

    expect(drawn(first)).toContain("History for web · limited to scale, restart · newest first");
    expect(town.queries.map(({ verbs }) => verbs)).toEqual([
      ["scale", "restart"],
      ["scale", "restart"],
    ]);
  });

  test("what was done with one command is asked as that alone", async () => {
    const town = scripted();

    const none = drawn(await answerTo("history web --verb delete --since yesterday", town));

    expect(none).toBe("No requests found for web, limited to delete, since yesterday.\n[Show all]");
    expect(town.queries).toMatchObject([
      { workload: { name: "web" }, verbs: ["delete"], since: new Date("2026-11-20T00:00:00Z") },
    ]);
  });

  test("only full members see it: it tells what everybody asked for", async () => {
    const { context } = scripted();
    const guest = { ...context, asker: { ...context.asker, standing: "guest" } } as const; // one of the standings
    const { command, ask } = parseText("history");
    if (command.effect !== "read") throw new Error("history is no read");

    expect(await refusedRead(command, ask, guest)).toMatchObject({
      refusal: { why: "Only full members of this workspace can see requests and history.", next: "Ask a full member." },
    });
    expect(await refusedRead(command, ask, context)).toBeUndefined();
  });

  test("what matches nothing is told apart from an empty history", async () => {
    expect(drawn(await answerTo("history"))).toContain("Nothing has happened yet.");
    const filtered = drawn(await answerTo("history web --by <@U0DANA|dana> --since 7d"));
    expect(filtered).toBe("No requests found for web, by dana, since 7d.\n[Show all]");
  });
});

describe("--json", () => {
  test("gives the rows as a file in a thread, and says so where there can be none", async () => {
    const message = await answerTo("history web --json", { events: events(30) });

    const { files = [], replies, alone } = message.thread ?? {};
    expect(message.text).toBe("History for web · newest first · 30 rows");
    expect(replies).toEqual([]);
    expect(files.map(({ name }) => name)).toEqual([`gantry-history-${now.toISOString().slice(0, 10)}.json`]);
    const rows: unknown = JSON.parse(files[0]?.content ?? "");
    expect(rows).toHaveLength(30);
    expect(rows).toMatchObject([
      { number: 30, event: "requested", who: { id: "U0DANA", name: "Dana Reyes" } },
      ...Array.from({ length: 29 }, () => ({})),
    ]);
    expect(alone === undefined ? "" : drawn(alone)).toBe(
      "Couldn't send the file: Slack didn't accept it. Try again in a minute.\n[Try again] [Show here]",
    );
  });

  test("one file holds 1,000 rows, and a button gives the next ones", async () => {
    const town = scripted({ events: events(1500) });

    const message = await answerTo("history --json", town);

    expect(town.queries[0]).toEqual({ limit: 1000 });
    expect(JSON.parse(message.thread?.files[0]?.content ?? "")).toHaveLength(1000);
    const next = await click(message, "Next file", town);
    expect(JSON.parse(next.thread?.files[0]?.content ?? "")).toHaveLength(500);
  });

  test("a row has every field under a name that stays", async () => {
    const row = event(1, { elapsedMs: 1200, reference: "ab12", breakGlass: true });

    const message = await answerTo("history --json", { events: [row] });

    expect(message.thread?.files[0]?.content).toMatchInlineSnapshot(`
      "[
        {
          "number": 1,
          "at": "2026-11-20T00:01:00.000Z",
          "event": "requested",
          "change": "K7Q2MX",
          "who": {
            "id": "U0DANA",
            "name": "Dana Reyes"
          },
          "channel": "C0OPS",
          "verb": "scale",
          "workload": {
            "kind": "service",
            "region": "beijing1",
            "name": "web"
          },
          "account": "dana",
          "rule": "hurts",
          "break_glass": true,
          "result": "instances 2 → 6",
          "elapsed_ms": 1200,
          "reference": "ab12"
        }
      ]
      "
    `);
  });

  test("nothing makes no file", async () => {
    expect((await answerTo("history --json")).thread).toBeUndefined();
  });
});
