import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testClock } from "../../../../support/test-clock.ts";
import { machineClock } from "../../../../../src/platform/clock.ts";
import { followUnitLog } from "../../../../../src/service/engines/docker/logs/unit-log.ts";
import type { LogLine } from "../../../../../src/service/workloads/runtime.ts";
import { until } from "../../../../support/until.ts";
import { frame, type LogDaemon, openLogDaemon, type StoredEntry } from "./log-daemon.ts";

let daemon: LogDaemon;
beforeEach(async () => void (daemon = await openLogDaemon()));
afterEach(() => daemon.close());

const unit = { container: "0123456789abcdef" };
const SECOND = 1_000_000_000n;

function entry(text: string | Buffer, ns: bigint, stream: 1 | 2 = 1): StoredEntry {
  return { stream, ns, text };
}

type Follow = {
  readonly lines: LogLine[];
  readonly texts: () => string[];
  /** Waits for it, while the pauses after an error and after the end of an answer go by. */
  readonly sees: (isSo: () => boolean) => Promise<void>;
  readonly end: () => Promise<void>;
  readonly leave: () => Promise<void>;
};

function follow(after?: string): Follow {
  const lines: LogLine[] = [];
  const clock = testClock();
  const [leaving, ended] = [new AbortController(), new AbortController()];
  const over = followUnitLog(
    { clock, daemon: daemon.api },
    { ...unit, after, write: (line) => void lines.push(line), signal: leaving.signal, ended: ended.signal },
  );
  const finish = async (how: AbortController) => {
    how.abort();
    await over;
  };
  return {
    lines,
    texts: () => lines.map(({ text }) => text),
    sees: (isSo) =>
      until(() => {
        clock.passMs(100);
        return isSo();
      }),
    end: () => finish(ended),
    leave: () => finish(leaving),
  };
}

/** What a container that has ended left, from a cursor on. */
async function restAfter(cursor?: string): Promise<LogLine[]> {
  const log = follow(cursor);
  await log.end();
  return log.lines;
}

const mixed: StoredEntry[] = [
  entry("one\n", 1n),
  entry("warning\n", 2n, 2),
  entry("a line in ", 3n),
  entry("an error in ", 4n, 2),
  entry("parts\n", SECOND),
  entry("x".repeat(16_384), SECOND + 1n),
  entry("y".repeat(16_384), SECOND + 1n),
  entry("zed\n", SECOND + 1n),
  entry("two parts\n", SECOND + 2n, 2),
  entry("\n", SECOND + 3n),
  entry("end without a newline", 2n * SECOND),
];
const mixedTexts = [
  "one",
  "warning",
  "a line in parts",
  "x".repeat(16_384),
  `[…] ${"y".repeat(16_384)}`,
  "[…] zed",
  "an error in two parts",
  "",
  "end without a newline",
];

describe.each([
  ["Docker", false],
  ["Podman, whose times are whole seconds", true],
])("the log of a container: %s", (_, wholeSeconds) => {
  beforeEach(() => {
    daemon.wholeSeconds = wholeSeconds;
    daemon.entries = [...mixed];
  });

  test.each([1, 7, 8, 9, 65_536])("is put together from chunks of %i bytes", async (chunkBytes) => {
    daemon.chunkBytes = chunkBytes;
    if (chunkBytes < 100) daemon.entries = mixed.filter(({ text }) => text.length < 100 && text !== "zed\n");

    const texts = (await restAfter()).map(({ text }) => text);

    expect(texts).toEqual(chunkBytes < 100 ? mixedTexts.filter((text) => !/xx|yy|zed/u.test(text)) : mixedTexts);
  });

  test("goes on after any line with the next one, however often the service restarts", async () => {
    const all = await restAfter();
    expect(all.map(({ text }) => text)).toEqual(mixedTexts);

    for (const [at, { cursor }] of all.entries()) {
      expect((await restAfter(cursor)).map(({ text }) => text)).toEqual(mixedTexts.slice(at + 1));
    }
  });

  test("begins with the first line when the cursor is one of an earlier container", async () => {
    const [line] = await restAfter();

    expect(await restAfter(line?.cursor?.replace(/^\S+/u, "fedcba987654"))).toHaveLength(mixedTexts.length);
  });

  test("goes on without a gap when the daemon ends the connection", async () => {
    const log = follow();
    await until(() => log.lines.length === mixedTexts.length - 1);
    daemon.cut();
    daemon.entries.push(entry(", later\n", 3n * SECOND), entry("more\n", 3n * SECOND + 1n, 2));
    await log.sees(() => log.texts().includes("more"));
    await log.end();

    expect(log.texts()).toEqual([...mixedTexts.slice(0, -1), "end without a newline, later", "more"]);
  });

  test("says so when lines were deleted before they could be read", async () => {
    const [, , third] = await restAfter();
    daemon.entries = [entry("after the rotation\n", 60n * SECOND)];

    expect((await restAfter(third?.cursor)).map(({ text }) => text)).toEqual([
      "[gantry] lines before the next one can be missing: the container's log was rotated before they were read",
      "after the rotation",
    ]);
  });
});

test("entries that Docker repeats after a rotation are stored once", async () => {
  const many = Array.from({ length: 3_000 }, (_, at) => entry(`line ${at}\n`, BigInt(at) * 1_000n));
  daemon.entries = [...many, ...many.slice(150), entry("next\n", SECOND + 1n), entry("next\n", SECOND + 1n)];

  const texts = (await restAfter()).map(({ text }) => text);

  expect(texts).toEqual([...many.map(({ text }) => String(text).trim()), "next"]);
});

test("a clock that is set back by a moment loses no line", async () => {
  daemon.entries = [entry("a\n", SECOND), entry("b\n", SECOND - 500_000n), entry("c\n", SECOND - 400_000n)];

  const all = await restAfter();

  expect(all.map(({ text }) => text)).toEqual(["a", "b", "c"]);
  expect((await restAfter(all[1]?.cursor)).map(({ text }) => text)).toEqual(["c"]);
});

test("a rotation of Podman's only file is noted when the line that was read last went with it", async () => {
  daemon.wholeSeconds = true;
  daemon.entries = [entry("first\n", 0n)];
  const log = follow();
  await until(() => log.lines.length === 1);
  daemon.entries = [entry("much later\n", 60n * SECOND)];
  await log.end();

  expect(log.texts().filter((text) => text.startsWith("[gantry]"))).toHaveLength(1);
  expect(log.texts().at(-1)).toBe("much later");
});

test("invalid UTF-8 and NUL become U+FFFD, and a character between two parts of a line stays whole", async () => {
  const euros = Buffer.from("€".repeat(8_000));
  daemon.entries = [
    entry(Buffer.from([0x61, 0xff, 0x00, 0x0d, 0x0a]), 1n),
    entry(euros.subarray(0, 16_384), 2n),
    entry(Buffer.concat([euros.subarray(16_384), Buffer.from("\n")]), 2n),
  ];

  const all = await restAfter();

  expect(all.map(({ text }) => text)).toEqual(["a\uFFFD\uFFFD", "€".repeat(5_461), `[…] ${"€".repeat(2_539)}`]);
  expect((await restAfter(all[1]?.cursor)).map(({ text }) => text)).toEqual([`[…] ${"€".repeat(2_539)}`]);
});

/** Docker writes what fills its buffer of 16,384 bytes as an entry, and the line end as the next one. */
test.each([
  ["fills Docker's buffer", ["x".repeat(16_384), "\n"], ["x".repeat(16_384)]],
  ["fills it, and ends as on Windows", ["x".repeat(16_384), "\r\n"], ["x".repeat(16_384)]],
  ["fills it with half of such an end", [`${"x".repeat(16_383)}\r`, "\n"], ["x".repeat(16_383)]],
  [
    "fills it twice",
    ["x".repeat(16_384), "y".repeat(16_384), "\r\n"],
    ["x".repeat(16_384), `[…] ${"y".repeat(16_384)}`],
  ],
  ["is short, and ends as on Windows", ["short\r\n"], ["short"]],
])("a line that %s gets no empty line behind it, and no carriage return", async (_, parts, expected) => {
  daemon.entries = [...parts.map((part) => entry(part, 1n)), entry("next\r\n", 2n)];

  const all = await restAfter();

  expect(all.map(({ text }) => text)).toEqual([...expected, "next"]);
  for (const [at, { cursor }] of all.entries()) {
    expect((await restAfter(cursor)).map(({ text }) => text)).toEqual([...expected, "next"].slice(at + 1));
  }
});

test("a huge entry is stored in pieces, and reading goes on after any of them", async () => {
  daemon.entries = [entry(`${"0123456789".repeat(10_000)}\n`, 1n), entry("next\n", 2n)];

  const all = await restAfter();

  const text = all.map((line) => line.text.replace("[…] ", "")).join("");
  expect(text).toBe(`${"0123456789".repeat(10_000)}next`);
  expect(all.length).toBeGreaterThan(6);
  expect((await restAfter(all[2]?.cursor)).map((line) => line.text)).toEqual(all.slice(3).map((line) => line.text));
});

test("a log that Gantry 0.9 followed goes on after its cursor", async () => {
  daemon.entries = [entry("one\n", 1n), entry("two\n", 2n, 2), entry("three\n", 3n), entry("four\n", 4n, 2)];
  const at = (ns: number) => `179536053500000000${ns}`;

  expect((await restAfter(`0123456789ab ${at(3)} ${at(2)} ${at(3)}-1 ${at(2)}-1`)).map(({ text }) => text)).toEqual([
    "four",
  ]);
  expect((await restAfter(`0123456789ab ${at(2)} ${at(1)} ${at(1)}-1+e282 ${at(2)}-1`))[0]?.text).toBe("three");
});

test("a quiet log whose connection ends is followed again, and not read over and over", async () => {
  daemon.chunkBytes = 48;
  daemon.entries = [entry("first\n", 0n), entry("a\n", 58n * SECOND), entry("b\n", 61n * SECOND - 1n)];
  const log = follow();
  await until(() => log.lines.length === 3);
  daemon.cut();
  daemon.entries.push(entry("c\n", 61n * SECOND));
  await log.sees(() => log.texts().includes("c"));
  await log.leave();

  expect(log.texts()).toEqual(["first", "a", "b", "c"]);
  expect(daemon.asked.map((query) => query.get("follow"))).toEqual(["1", "1"]);
});

test("a long line that was deleted in the middle takes nothing of the next one along", async () => {
  daemon.entries = [entry("first\n", 0n), entry("x".repeat(40_000), SECOND)];
  const log = follow();
  await until(() => log.lines.length === 3);
  await log.leave();
  daemon.entries = [entry("next\n", 2n * SECOND)];

  expect((await restAfter(log.lines[2]?.cursor)).map(({ text }) => text)).toEqual([
    "[gantry] lines before the next one can be missing: the container's log was rotated before they were read",
    "next",
  ]);
});

test("a container removed by hand is noted, and holds nothing up", async () => {
  daemon.entries = [entry("first\n", 1n)];
  const log = follow();
  await until(() => log.lines.length === 1);
  daemon.fault = { status: 404 };
  daemon.cut();
  await log.end();

  expect(log.texts()).toEqual([
    "first",
    "[gantry] the last lines can be missing: the container was removed before they were read",
  ]);
});

test("an error of the daemon in the middle of a log is noted once, and isn't taken for a line", async () => {
  daemon.entries = [entry("first\n", 1n)];
  daemon.fault = { frame: frame(3, "Error grabbing logs: invalid character 'x'") };
  const log = follow();
  await log.sees(() => log.lines.length === 2);
  await log.end();

  expect(log.texts()).toEqual([
    "first",
    "[gantry] newer lines are missing: the container's log can't be read: Error grabbing logs: invalid character 'x'",
  ]);
});

test("lines that wait for room hold the reading up, and none is lost", async () => {
  daemon.entries = Array.from({ length: 50 }, (_, at) => entry(`${at}\n`, BigInt(at)));
  const texts: string[] = [];
  const ended = new AbortController();
  ended.abort();
  let waiting = 0;
  await followUnitLog(
    { clock: machineClock, daemon: daemon.api },
    {
      ...unit,
      after: undefined,
      async write({ text }) {
        waiting += 1;
        expect(waiting).toBe(1);
        await new Promise(setImmediate);
        waiting -= 1;
        texts.push(text);
      },
      signal: new AbortController().signal,
      ended: ended.signal,
    },
  );

  expect(texts).toEqual(Array.from({ length: 50 }, (_, at) => String(at)));
});

test("a service that leaves its containers running stops reading at once", async () => {
  daemon.entries = [entry("first\n", 1n)];
  const log = follow();
  await until(() => log.lines.length === 1);
  await log.leave();

  expect(log.texts()).toEqual(["first"]);
});
