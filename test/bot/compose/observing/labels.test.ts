import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  callLabel,
  kindOfPayload,
  slackMethodOf,
  slackMethods,
  slackStatus,
  verbLabel,
} from "../../../../src/bot/compose/observing/labels.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { statusLabel } from "../../../../src/platform/observing/measuring.ts";
import { createMetrics } from "../../../../src/bot/compose/observing/metrics.ts";
import { commands } from "../../../../src/bot/commands/verbs.ts";

test("verbs are those of the list, whatever somebody types", () => {
  expect(commands.map(({ name }) => verbLabel(name))).toEqual(commands.map(({ name }) => name));
  expect([undefined, "?", "again", "constructor", "restart\n", "web", ""].map(verbLabel)).toEqual([
    "none",
    "none",
    "again",
    "other",
    "other",
    "other",
    "other",
  ]);
});

test("the kind of everything that Slack may deliver", () => {
  const of = (body: unknown): string => kindOfPayload(body);
  expect(of({ command: "/gantry", text: "list" })).toBe("command");
  expect(of({ type: "event_callback", event: { type: "app_mention" } })).toBe("mention");
  expect(of({ event: { type: "message" } })).toBe("message");
  expect(of({ event: { type: "app_home_opened" } })).toBe("home");
  expect(of({ event: { type: "user_change" } })).toBe("event");
  expect(of({ event: { type: "toString" } })).toBe("event");
  expect(of({ type: "block_actions" })).toBe("button");
  expect(of({ type: "view_submission" })).toBe("form");
  expect(of({ type: "block_suggestion" })).toBe("options");
  expect(of({ type: "message_action" })).toBe("shortcut");
  expect([{ type: "__proto__" }, { type: 7 }, {}, null, "command", undefined].map(of)).toEqual(
    Array.from({ length: 6 }, () => "other"),
  );
});

test("Slack's method is read from the address, and only methods that the bot calls count", () => {
  expect(slackMethodOf("https://slack.com/api/chat.postMessage")).toBe("chat.postMessage");
  expect(slackMethodOf("https://slack.com/api/chat.postMessage?token=secret")).toBe("chat.postMessage");
  expect(slackMethodOf("https://files.slack.com/upload/v1/CwABAAAAXA")).toBe("other");
  expect(slackMethodOf("https://slack.com/api/chat.made.up")).toBe("other");
  expect(slackMethodOf("nonsense")).toBe("other");
});

test("every method that the sources call is in the list", () => {
  const folder = join(import.meta.dirname, "../../../../src/bot/slack");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const called = [...sources.matchAll(/\bclient\.((?:[a-z]+\.)+[a-zA-Z0-9]+)\(/gu)].map(([, method = ""]) => method);
  const known: readonly string[] = slackMethods;
  // The client's own name for two methods and an upload.
  expect([...new Set(called)].filter((method) => !known.includes(method))).toEqual(["files.uploadV2"]);
});

test.each([
  [200, '{"ok":true,"ts":"1.2"}', "ok"],
  [200, '{ "ok" : false, "error" : "channel_not_found" }', "uninvited"],
  [200, '{"ok":false,"error":"token_revoked"}', "token"],
  [200, '{"ok":false,"error":"something_new"}', "unknown"],
  [200, "ok", "ok"],
  [200, "used_url", "gone"],
  [429, "", "limited"],
  [404, "no_service", "gone"],
  [403, "<html>", "temporary"],
  [502, "", "unsure"],
])("Slack's answer %i %s counts as %s", (status, text, expected) => {
  expect(slackStatus(status, text)).toBe(expected);
});

test.each([
  ["200", "200"],
  ["429", "429"],
  ["418", "4xx"],
  ["599", "5xx"],
  ["timeout", "timeout"],
  ["999", "other"],
  ["DROP TABLE", "other"],
])("the status %s counts as %s", (status, expected) => {
  expect(statusLabel(status)).toBe(expected);
});

test("what people, Slack and the workload API send can't make the metrics grow", async () => {
  const metrics = createMetrics(machineClock);
  const ended = { status: "200", seconds: 0.1 };
  for (let nth = 0; nth < 2_000; nth += 1) {
    const hostile = `verb-${nth}"} 1\n# `;
    metrics.answered({ kind: "command", verb: hostile, outcome: "refused", seconds: 0.1 });
    metrics.called({ to: "slack", name: hostile }, { ...ended, status: hostile });
    metrics.called({ to: "api", name: hostile }, { ...ended, status: String(100 + (nth % 500)) });
  }
  const text = await metrics.text();

  expect(text).not.toContain("verb-");
  expect(text).toContain('gantry_interactions_total{kind="command",verb="other",outcome="refused"} 2000');
  expect(text).toContain('gantry_slack_calls_total{method="other",status="other"} 2000');
  expect(text.split("\n").length).toBeLessThan(400);
  expect(callLabel({ to: "api", name: "listServices" })).toBe("listServices");
});
