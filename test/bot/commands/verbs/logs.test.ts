import { describe, expect, test } from "vitest";
import { makeExcerpt, type ExcerptInput } from "../../../../src/bot/logs/excerpt.ts";
import { compileGrep } from "../../../../src/bot/logs/grep.ts";
import { logExcerpt } from "../../../../src/bot/commands/verbs/logs/log-excerpt.ts";
import { drawn, drawnAll } from "../../views/support/drawn.ts";
import { answerTo } from "../support/script.ts";
import { ask, service } from "../../views/support/workloads.ts";

function excerpt(given: Partial<ExcerptInput> & Pick<ExcerptInput, "lines">, args = {}) {
  return logExcerpt({
    workload: { kind: "service", name: "web" },
    day: { date: "2026.11.20", zone: "UTC", today: "2026.11.20" },
    excerpt: makeExcerpt({ from: 0, size: 100, ...given }),
    ask: ask("logs", args),
    mark: given.lines.length === 0 ? undefined : "10.mark",
    requester: "Dana Reyes",
    canShare: true,
  });
}

function lines(count: number, text = "GET / 200"): { text: string }[] {
  return Array.from({ length: count }, (_, at) => ({ text: `${at + 1} ${text}` }));
}

test("a short excerpt is a head and one reply, oldest first", () => {
  const message = excerpt({ lines: lines(3) });

  expect(message.text).toBe("Logs of web · all 3 lines of today");
  expect(drawnAll(message)).toMatchInlineSnapshot(`
    "📄 web · all 3 lines of today
    2026-11-20 · since midnight UTC
    Requested by Dana Reyes
    ↳ \`\`\`
    1 GET / 200
    2 GET / 200
    3 GET / 200
    \`\`\`
    [Previous day] [Newer] [Filter] [… Follow]"
  `);
});

test("of several instances each line has its own, as short as it tells them apart", () => {
  const message = excerpt({
    lines: [
      { instance: "checkout-service-7d4b9c6f5-x2x5p", text: "start\n  at once" },
      { instance: "checkout-service-7d4b9c6f5-abcde", text: "start" },
    ],
  });

  expect(drawnAll(message)).toMatchInlineSnapshot(`
    "📄 web · all 2 lines of today
    2026-11-20 · since midnight UTC
    Requested by Dana Reyes
    ↳ \`\`\`
    x2x5p │ start
    x2x5p │   at once
    abcde │ start
    \`\`\`
    [Previous day] [Newer] [Filter] [… Follow]"
  `);
});

test("a full page says who asked, what matched, and which lines it repeats", () => {
  const message = excerpt(
    { lines: lines(100), grep: compileGrep("[12] GET"), overlap: 2 },
    { grep: '"[12]" GET', instance: "web-1" },
  );

  expect(drawn(message)).toMatchInlineSnapshot(`
    "📄 web · last 100 lines of today · 20 match "[12]" GET
    2026-11-20 · since midnight UTC
    The last 2 lines were on the previous page too, because new lines arrived.
    Requested by Dana Reyes"
  `);
});

test("what does not fit on one page is split on line ends", () => {
  const message = excerpt({ lines: lines(100, "x".repeat(60)) });

  const texts = message.thread?.replies.map((reply) => drawn(reply)) ?? [];
  expect(texts).toHaveLength(2);
  const shown = texts.join("\n").replaceAll("```\n", "").replaceAll("\n```", "").split("\n");
  expect(shown.pop()).toBe("[Older] [Newer] [Filter] [… Follow | Show last 1,000 lines | Show the whole day]");
  expect(shown).toEqual(lines(100, "x".repeat(60)).map(({ text }) => text));
  expect(message.thread?.replies[1]?.text).toBe("Logs of web, today, part 2 of 2");
});

test("a long excerpt is one file, with its last lines inline", () => {
  const message = excerpt({ lines: lines(812, "x".repeat(90)), size: 812 });

  const { replies = [], files = [] } = message.thread ?? {};
  expect(replies).toHaveLength(1);
  expect(replies[0]?.text).toMatchInlineSnapshot(
    `"Logs of web, today. Last 37 of 812 lines. All of them are in the file below."`,
  );
  expect(files.map(({ name, title }) => [name, title])).toMatchInlineSnapshot(`
    [
      [
        "web-2026-11-20.log",
        "Logs of web · last 812 lines of today",
      ],
    ]
  `);
  expect(files[0]?.content.split("\n")).toHaveLength(813);
});

test("for the asker alone the newest lines that fit are shown, and it is said", () => {
  const message = excerpt({ lines: lines(100, "x".repeat(90)) });

  const text = drawn(message.thread?.alone ?? { text: "", blocks: [] });
  expect(text).toContain("\n100 xxx");
  expect(text).not.toContain("\n1 xxx");
  expect(text).toContain("Last 38 of 100 lines. 62 earlier lines aren't shown.");
  expect(text.split("\n").at(-1)).toBe("[Older] [Newer] [Filter] [… Post to channel]");
  // Older goes on above the first line shown, not above the first line read.
  expect(JSON.stringify(message.thread?.alone)).toContain(String.raw`\"private\":true,\"from\":\"38\"`);
});

describe("nothing to show makes no thread", () => {
  test.each([
    ["no lines on that day", excerpt({ lines: [] }), "web has no log lines today."],
    [
      "none of that instance",
      excerpt({ lines: [{ instance: "web-0", text: "x" }], instance: "web-9" }),
      "web has no log lines from instance web-9 today.",
    ],
    ["none before", excerpt({ lines: [], from: 1200 }), "web has no log lines before the last 1,200 today."],
    [
      "no line matches",
      excerpt({ lines: lines(3), grep: compileGrep("ERR") }, { grep: "ERR" }),
      "Nothing in the logs of web matches ERR. Searched 3 lines of today.",
    ],
  ])("%s", (_what, message, sentence) => {
    expect(message.thread).toBeUndefined();
    expect(message.text).toBe(sentence);
    expect(drawn(message)).toContain(sentence);
  });

  test("where older lines may match, a button searches them", () => {
    const message = excerpt({ lines: lines(100), grep: compileGrep("ERR") }, { grep: "ERR" });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "📄 Nothing in the logs of web matches ERR. Searched 100 lines of today.
      2026-11-20 · since midnight UTC
      [Older] [Newer] [Filter] [… Follow | Search last 1,000 lines | Search the day]"
    `);
  });
});

describe("habits of other tools", () => {
  const services = [service("web", {})];

  test.each(["--private", "--previous", "--around 14:03", "--file", "--since 10m", "-g x -C 3", "--date yesterday"])(
    "-f shows lines as they come, so it doesn't go with %s",
    async (flag) => {
      await expect(answerTo(`logs web -f ${flag}`, { services })).rejects.toThrow("can't be used together");
    },
  );

  test("--since without any time in the lines says so, and offers the newest lines", async () => {
    await expect(answerTo("logs web --since 10m", { services })).rejects.toMatchObject({
      message: "These log lines have no times, so `--since` can't filter them.",
      suggestions: [{ label: "Newest lines", ask: { verb: "logs", args: { name: "web" } } }],
    });
  });
});
