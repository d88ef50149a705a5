import { expect, test } from "vitest";
import { createLog, prettyLine } from "../../src/platform/log.ts";

function pretty(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  const secrets = ["a-secret-of-the-settings"];
  write(createLog({ level: "debug", secrets, format: "pretty", to: { write: (line) => void lines.push(line) } }));
  return lines.join("").replaceAll(/^\d\d:\d\d:\d\d\.\d{3}/gmu, "12:00:00.000");
}

test("a line for a terminal has the time, the level, the message, and the data", () => {
  expect(
    pretty((log) => log.info({ port: 3000, path: "/data dir", history: { kind: "done" } }, "Gantry is ready")),
  ).toBe('12:00:00.000 INFO  Gantry is ready port=3000 path="/data dir" history={"kind":"done"}\n');
  expect(pretty((log) => log.fatal("out of everything"))).toBe("12:00:00.000 FATAL out of everything\n");
});

test("an error's stack stands below its line", () => {
  const error = new Error("it broke");
  error.stack = "Error: it broke\n    at web.ts:1:2";
  expect(pretty((log) => log.error({ err: error, reference: "0a1b2c3d" }, "internal error"))).toBe(
    "12:00:00.000 ERROR internal error reference=0a1b2c3d\n    Error: it broke\n        at web.ts:1:2\n",
  );
});

test("secrets are removed from it, as from JSON", () => {
  const text = pretty((log) => log.warn({ token: "xoxb-1-2-3", why: "a-secret-of-the-settings" }, "refused"));
  expect(text).toBe(
    "12:00:00.000 WARN  refused token=[redacted] why=[redacted]\n".replaceAll("=[redacted]", '="[redacted]"'),
  );
});

test("text from outside can't move the cursor, colour the terminal or begin a line of its own", () => {
  const hostile = "\u001B[2Jgone\r\n12:00:00 INFO forged\u009B31m\u202Eevil";
  const error = new Error("x");
  error.stack = `Error: ${hostile}`;
  const text = pretty((log) => log.info({ [hostile]: hostile, err: error }, hostile));
  // oxlint-disable-next-line no-control-regex -- these are what is meant
  expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028-\u202E]/u);
  expect(text.split("\n").filter((line) => line.startsWith("12:00:00 INFO forged"))).toEqual([]);
});

test("what is no object of the log stays as it is, and colours are for terminals alone", () => {
  expect(["not json\n", "[1]\n", "null\n"].map((line) => prettyLine(line, true))).toEqual([
    "not json\n",
    "[1]\n",
    "null\n",
  ]);
  expect(prettyLine('{"level":50,"time":"2026-11-26T04:56:44.275Z","msg":"bad"}\n', true)).toBe(
    "\u001B[90m04:56:44.275\u001B[0m \u001B[31mERROR\u001B[0m bad\n",
  );
  expect(prettyLine('{"msg":7}', false)).toBe("undefined ?     \n");
});
