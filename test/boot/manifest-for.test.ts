import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { manifestFor } from "../../src/boot/manifest-for.ts";

const text = readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8");

test("the address stands in every place where Slack wants one, and nothing else has changed", () => {
  const ready = manifestFor(text, { kind: "url", url: "https://bots.acme.org/gantry/", command: "/gantry" });

  expect(ready).not.toContain("example.com");
  expect(ready).toContain("# Who requests and approves");
  const restored = ready.replaceAll(
    "https://bots.acme.org/gantry/slack/events",
    "https://gantry.example.com/slack/events",
  );
  expect(parse(restored)).toEqual(parse(text));
});

test("for Socket Mode there is no address", () => {
  const { settings, features } = parse(manifestFor(text, { kind: "socket", command: "/gantry" }));

  expect(settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
  expect(settings.event_subscriptions).toEqual({ bot_events: expect.arrayContaining(["app_mention"]) });
  expect(features.slash_commands[0]).not.toHaveProperty("url");
});

test("another command is named as it is typed", () => {
  const ready = manifestFor(text, { kind: "url", url: "https://a.org", command: "/gantry-test" });

  expect(parse(ready).features.slash_commands[0].command).toBe("/gantry-test");
});

test.each(["http://a.org", "gantry.example.com", ""])("%o is no address that Slack can call", (url) => {
  expect(() => manifestFor(text, { kind: "url", url, command: "/gantry" })).toThrow(/https:\/\/gantry\.example\.com/u);
});
