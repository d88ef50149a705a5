import { describe, expect, test } from "vitest";
import { createLog } from "../../../src/platform/log.ts";
import { redactLines } from "../../../src/bot/logs/redact.ts";
import { commandLine } from "../../../src/bot/views/kit/container-text.ts";
import { plain } from "../../../src/bot/views/kit/text.ts";

// What a container or an API answers with can be any text, of any length.

const units = {
  letters: "x",
  "ends of keys": "-----END PRIVATE KEY-----",
  "beginnings of keys": "-----BEGIN PRIVATE KEY-----",
  "whole keys": "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----",
  dashes: "-----",
  names: "secret_",
  "names without a value": "password=",
  "quotes that don't end": 'password="',
  UUIDs: "123e4567-e89b-12d3-a456-426614174000 ",
  "random words": "aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3 ",
  addresses: "http://a:b@",
  options: "-u a: mysql -p docker login ",
  pipes: "echo a |",
  headers: "authorization: digest bearer ",
  percents: "%25",
  backslashes: "\\",
  entities: "&#x26;",
  tags: "<token>",
  brackets: "[{(",
  spaces: " ",
} as const;
const kinds = Object.entries(units);

function textOf(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

const LONGEST = 6_000_000;

test.each(kinds)("six million characters of %s are read in part, and what is left out is told", (_, unit) => {
  const [line = ""] = redactLines([textOf(unit, LONGEST)], ["hunter2-hunter2"]);

  expect(line.length).toBeLessThan(33_000);
  expect(line.endsWith("… (cut)")).toBe(true);
});

/** The clock of a thread may advance in steps of 4 ms: less than six of them say little. */
const LEAST_MS = 24;

/** Milliseconds of this thread for one run, so other work on the machine doesn't count. */
function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  for (let times = 1; ; times += 1) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1_000;
    if (ms >= LEAST_MS) return ms / times;
  }
}

/** Four times as much text may take four times as long; with every character looking at all others, it is sixteen. */
const MOST = 9;

test.each(kinds)("four times as many %s cost about four times as much", (_, unit) => {
  const [some, more] = [textOf(unit, 8_000), textOf(unit, 32_000)];
  let best = Number.POSITIVE_INFINITY;
  for (let left = 5; left > 0 && best > MOST; left -= 1) {
    best = Math.min(best, cpuMs(() => redactLines([more])) / cpuMs(() => redactLines([some])));
  }

  expect(best).toBeLessThanOrEqual(MOST);
});

describe("a record that is cut", () => {
  const filling = textOf("word ", 32_768 - 20);

  test("shows no half of a secret", () => {
    const [line = ""] = redactLines([
      `${filling}token=ghp_0123456789abcdefghijABCDEFGHIJ0123456789${"x".repeat(10_000)}`,
    ]);

    expect(line).not.toContain("ghp_");
  });

  test("hides the key that begins in what is left out", () => {
    const key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB";
    const lines = redactLines([
      `${filling}${"x".repeat(10_000)} -----BEGIN PRIVATE KEY-----`,
      key,
      "-----END PRIVATE KEY-----",
    ]);

    expect(lines.join("\n")).not.toContain(key);
  });
});

test("a container's command of any length is a line, and any name a label", () => {
  expect(commandLine([textOf("-----END PRIVATE KEY-----", LONGEST)]).length).toBeLessThan(33_000);
  expect(plain(textOf("x", LONGEST), 75).text).toBe(`${"x".repeat(74)}…`);
  expect(plain(textOf("\u{e0001}", LONGEST), 75).text.length).toBe(75);
});

test("a container's command hides the secrets among its variables, and stays readable", () => {
  const env = [
    { name: "REGION", value: "eu-west-1" },
    { name: "APP", value: "checkout" },
    { name: "DB_PASSWORD", value: "opensesame" },
  ];

  expect(commandLine(["serve", "checkout", "--region", "eu-west-1", "--db", "opensesame"], env)).toBe(
    "serve checkout --region eu-west-1 --db [redacted]",
  );
});

test("the log's own lines are bounded, and stay JSON", () => {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    secrets: ["a-secret-of-ours"],
    to: { write: (line) => void lines.push(line) },
  });

  log.info({ text: textOf("x", LONGEST), token: "a-secret-of-ours" }, "one long text");
  log.info({ texts: Array.from({ length: 90 }, (_, at) => textOf("y", 1_000 + at)) }, "many texts");

  const [one, many] = lines.map((line) => JSON.parse(line) as Record<string, unknown>); // pino writes objects
  expect(one).toMatchObject({
    msg: "one long text",
    token: "[redacted]",
    text: expect.stringMatching(/^x{1000}… \(cut\)$/u),
  });
  expect(many).toMatchObject({ level: 30, msg: "many texts" });
  expect(lines.every((line) => line.endsWith("\n") && line.length < 66_000)).toBe(true);
});
