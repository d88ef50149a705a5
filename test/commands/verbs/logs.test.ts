import { describe, expect, test } from "vitest";
import { makeExcerpt, type ExcerptInput } from "../../../src/logs/excerpt.ts";
import { compileGrep } from "../../../src/logs/grep.ts";
import { logExcerpt } from "../../../src/commands/verbs/logs/log-excerpt.ts";
import { drawn, drawnAll } from "../../views/support/drawn.ts";
import { answerTo } from "../support/script.ts";
import { ask, command, service } from "../../views/support/workloads.ts";

function excerpt(given: Partial<ExcerptInput> & Pick<ExcerptInput, "lines">, args = {}) {
  return logExcerpt({
    workload: { kind: "service", name: "web" },
    date: "2026.11.20",
    zone: "UTC",
    excerpt: makeExcerpt({ from: 0, size: 100, ...given }),
    ask: ask("logs", args),
    command,
  });
}

function lines(count: number, text = "GET / 200"): { text: string }[] {
  return Array.from({ length: count }, (_, at) => ({ text: `${at + 1} ${text}` }));
}

test("a short excerpt is a head and one reply, oldest first", () => {
  const message = excerpt({ lines: lines(3) });

  expect(message.text).toBe("web · 2026.11.20 UTC · 3 lines");
  expect(drawnAll(message)).toMatchInlineSnapshot(`
    "web · 2026.11.20 UTC · 3 lines
    ↳ \`\`\`
    1 GET / 200
    2 GET / 200
    3 GET / 200
    \`\`\`"
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
    "web · 2026.11.20 UTC · 2 lines
    ↳ \`\`\`
    x2x5p │ start
    x2x5p │   at once
    abcde │ start
    \`\`\`"
  `);
});

test("a full page says that there may be more, and gives the command for it", () => {
  const message = excerpt(
    { lines: lines(100), grep: compileGrep("[12] GET"), overlap: 2 },
    { grep: '"[12]" GET', instance: "web-1" },
  );

  expect(drawn(message)).toMatchInlineSnapshot(`
    "web · 2026.11.20 UTC · 100 lines · 20 match
    There may be older lines: /gantry logs service/web --date 2026.11.20 --from 100 --size 100 --instance web-1 --grep "\\"[12]\\" GET"
    The newest 2 lines stand on the page before this one too: new ones arrived between the two."
  `);
});

test("what does not fit on one page is split on line ends", () => {
  const message = excerpt({ lines: lines(100, "x".repeat(60)) });

  const texts = message.thread?.replies.map((reply) => drawn(reply)) ?? [];
  expect(texts).toHaveLength(2);
  expect(texts.join("\n").replaceAll("```\n", "").replaceAll("\n```", "").split("\n")).toEqual(
    lines(100, "x".repeat(60)).map(({ text }) => text),
  );
  expect(message.thread?.replies[1]?.text).toBe("Log of web, 2026.11.20 UTC, part 2 of 2");
});

test("a long excerpt is one file, with its first lines inline", () => {
  const message = excerpt({ lines: lines(812, "x".repeat(90)), size: 812 });

  const { replies = [], files = [] } = message.thread ?? {};
  expect(replies).toHaveLength(1);
  expect(replies[0]?.text).toMatchInlineSnapshot(
    `"Log of web, 2026.11.20 UTC. First 42 of 812 lines; all of them are in the file."`,
  );
  expect(files.map(({ name, title }) => [name, title])).toMatchInlineSnapshot(`
    [
      [
        "web-2026.11.20.log",
        "web · 2026.11.20 UTC · 812 lines",
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
  expect(text.split("\n").at(-1)).toBe("The newest 42 of 100 lines: more do not fit into one message.");
});

describe("nothing to show makes no thread", () => {
  test.each([
    ["no lines on that day", excerpt({ lines: [] }), "web has no lines on 2026.11.20 UTC."],
    [
      "none of that instance",
      excerpt({ lines: [{ instance: "web-0", text: "x" }], instance: "web-9" }),
      "web has no lines of its instance web-9 on 2026.11.20 UTC.",
    ],
    ["none before", excerpt({ lines: [], from: 1200 }), "web has no lines before the newest 1,200 on 2026.11.20 UTC."],
    [
      "no line matches",
      excerpt({ lines: lines(3), grep: compileGrep("ERR") }, { grep: "ERR" }),
      "No line of web matches ERR: 3 lines on 2026.11.20 UTC were searched.",
    ],
  ])("%s", (_what, message, sentence) => {
    expect(message.thread).toBeUndefined();
    expect(message.text).toBe(sentence);
    expect(drawn(message)).toBe(sentence);
  });

  test("where older lines may match, the command for them is given", () => {
    const message = excerpt({ lines: lines(100), grep: compileGrep("ERR") }, { grep: "ERR" });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "No line of web matches ERR: 100 lines on 2026.11.20 UTC were searched.
      There may be older lines: /gantry logs service/web --date 2026.11.20 --from 100 --size 100 --grep ERR"
    `);
  });
});

describe("habits of other tools", () => {
  const services = [service("web", {})];

  test("-f shows the newest lines and says that a log can't be followed", async () => {
    expect(drawn(await answerTo("logs web -f --private", { services }))).toContain("I can't follow a log live.");
  });

  test("--since without any time in the lines says so, and offers the newest lines", async () => {
    await expect(answerTo("logs web --since 10m", { services })).rejects.toMatchObject({
      message: "These log lines have no times, so `--since` can't filter them.",
      suggestions: [{ label: "Newest lines", ask: { verb: "logs", args: { name: "web" } } }],
    });
  });
});
