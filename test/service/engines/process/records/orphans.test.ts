import { expect, test } from "vitest";
import { stillClock } from "../../../../support/test-clock.ts";
import {
  endProcesses,
  isOurs,
  parsePs,
  startTicks,
  type SeenProcess,
} from "../../../../../src/service/engines/process/records/processes.ts";

const token = "0123456789abcdef0123456789abcdef";
const record = { token, pid: 100, started: "boot-1 5000" };

test.each<[string, SeenProcess, boolean]>([
  ["our child", { pid: 100, started: "boot-1 5000", token }, true],
  ["what our child started, in another group", { pid: 207, started: "boot-1 6000", token }, true],
  ["a stranger with the pid of our child", { pid: 100, started: "boot-1 9000", token: "none" }, false],
  ["a stranger that started in the same tick", { pid: 100, started: "boot-1 5000", token: "none" }, false],
  ["a child of another engine", { pid: 100, started: "boot-1 5000", token: "f".repeat(32) }, false],
  ["an unreadable one with our pid and start", { pid: 100, started: "boot-1 5000", token: "unreadable" }, true],
  ["an unreadable stranger with our pid", { pid: 100, started: "boot-1 9000", token: "unreadable" }, false],
  ["an unreadable one of an earlier boot", { pid: 100, started: "boot-0 5000", token: "unreadable" }, false],
])("whether a process is ours: %s", (_, seen, expected) => {
  expect(isOurs(seen, [record])).toBe(expected);
});

test("a child that was written down but whose pid was not yet is found by its token", () => {
  expect(isOurs({ pid: 100, started: "boot-1 1", token }, [{ token, pid: null, started: null }])).toBe(true);
});

test("ours get SIGTERM, then SIGKILL after the grace time, strangers nothing", async () => {
  const stranger: SeenProcess = { pid: 100, started: "boot-1 9000", token: "none" };
  const stubborn: SeenProcess = { pid: 207, started: "boot-1 6000", token };
  let seen = [stranger, stubborn];
  const sent: string[] = [];
  const kill = (pid: number, signal: string) => {
    sent.push(`${signal} ${pid}`);
    if (signal === "SIGKILL") seen = [stranger];
  };

  const clock = stillClock();
  const ending = endProcesses([record], { see: async () => seen, kill, clock }, 1_000);
  await clock.passMs(990);
  const sentInTime = [...sent];
  await clock.passMs(30);
  const ended = await ending;

  expect(sentInTime).toEqual(["SIGTERM 207"]);

  expect(sent).toEqual(["SIGTERM 207", "SIGKILL 207"]);
  expect(ended).toEqual([207]);
});

test.each([
  ["4242 (node) S 1 4242 4242 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 7 0 98765 1 1", "98765"],
  ["4242 (a b) c) (d) R 1 4242 4242 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 7 0 98765 1 1", "98765"],
  ["4242 (node) Z 1 4242 4242 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 7 0 98765 1 1", undefined],
])("the start time in %s", (stat, ticks) => {
  expect(startTicks(stat)).toBe(ticks);
});

test("processes of macOS are read with their start time and token", () => {
  const text = [
    `  100 Sat Nov 21 07:00:01 2026     node hello-web.ts HOME=/Users/dana GANTRY_CHILD=${token} PATH=/bin`,
    `  101 Sat Nov  1 17:00:01 2026     gantry:web-0:${token}`,
    "  102 Sat Nov 21 07:00:01 2026     /usr/sbin/cfprefsd agent",
    "  103 Sat Nov 21 07:00:01 2026     zsh PATH=/bin",
    "",
  ].join("\n");

  expect(parsePs(text)).toEqual([
    { pid: 100, started: "Sat Nov 21 07:00:01 2026", token },
    { pid: 101, started: "Sat Nov  1 17:00:01 2026", token },
    { pid: 102, started: "Sat Nov 21 07:00:01 2026", token: "unreadable" },
    { pid: 103, started: "Sat Nov 21 07:00:01 2026", token: "none" },
  ]);
});
