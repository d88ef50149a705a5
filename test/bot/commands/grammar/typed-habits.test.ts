import { describe, expect, test } from "vitest";
import { clockTime, durationIn } from "../../../../src/bot/commands/grammar/argument-types.ts";
import { readSlash } from "../../../../src/bot/commands/grammar/mention-words.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";

describe("kubectl and docker are left out", () => {
  test.each([
    ["kubectl get pods", "list", {}],
    ["docker compose restart web", "restart", { name: "web" }],
    ["kubectl scale deploy web --replicas=3", "scale", { name: "deployment/web", size: "3" }],
    ["kubectl rollout undo web --to-revision=3", "rollback", { name: "web", revision: "3" }],
    ["deploy web:1.6", "deploy", { name: "web", image: "1.6" }],
  ])("%s", (text, verb, args) => expect(parseText(text).ask).toMatchObject({ verb, args }));

  test("a pod is no workload", () => {
    expect(() => parseText("kubectl delete pod web")).toThrow("I act on workloads, not on single pods.");
    expect(readSlash("kill worker pod", []).kind).toBe("miss");
  });
});

test("the version is written once, and each workload has its own", () => {
  expect(() => parseText("rollback web 2 --to-revision 3")).toThrow("The version appears twice.");
  expect(() => parseText("rollback web worker --to-revision 3")).toThrow("Each workload counts its own versions.");
});

test.each([
  ["90s", 90_000],
  ["1h30m", 5_400_000],
  ["2 hours", 7_200_000],
  ["1h 30m", undefined],
  ["30", undefined],
])("%s lasts %s ms", (typed, ms) => expect(durationIn(typed)).toBe(ms));

test("midnight has two names", () => expect(clockTime("24:00")).toBe("00:00"));
