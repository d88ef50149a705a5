import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { appsUrlFor, manifestFor, manifestJson } from "../../../src/bot/compose/manifest.ts";

const text = readFileSync(new URL("../../../manifest.yml", import.meta.url), "utf8");
const socket = { url: undefined, command: "/gantry" };

test("the address stands in every place where Slack wants one, and nothing else has changed", () => {
  const ready = manifestFor(text, { url: "https://bots.acme.org/gantry/", command: "/gantry" });

  expect(ready).not.toContain("example.com");
  expect(ready).toContain("# Who requests and approves");
  const restored = ready.replaceAll(
    "https://bots.acme.org/gantry/slack/events",
    "https://gantry.example.com/slack/events",
  );
  expect(parse(restored)).toEqual(parse(text));
});

test("for Socket Mode there is no address", () => {
  const ready = manifestFor(text, socket);

  const { settings, features } = parse(ready);
  expect(settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
  expect(settings.event_subscriptions).toEqual({ bot_events: expect.arrayContaining(["app_mention"]) });
  expect(features.slash_commands[0]).not.toHaveProperty("url");
  expect(ready).not.toContain("https://gantry");
});

test("another command is named as it is typed", () => {
  const ready = manifestFor(text, { url: "https://a.org", command: "/gantry-test" });

  expect(parse(ready).features.slash_commands[0].command).toBe("/gantry-test");
});

test("an app that several workspaces install sends their browsers back to the install page", () => {
  const ready = parse(manifestFor(text, { ...socket, installUrl: "https://gantry.acme.org/" }));

  expect(ready.oauth_config.redirect_urls).toEqual(["https://gantry.acme.org/slack/oauth_redirect"]);
  expect(ready.settings).toMatchObject({ org_deploy_enabled: true, socket_mode_enabled: true });
});

test("for programs, the whole manifest is one line", () => {
  const ready = manifestFor(text, socket);

  expect(manifestJson(ready)).not.toContain("\n");
  expect(JSON.parse(manifestJson(ready))).toEqual(parse(ready));
});

test("GovSlack has its own page for apps", () => {
  expect(appsUrlFor("https://slack-gov.com/api/")).toBe("https://api.slack-gov.com/apps");
  expect(appsUrlFor("https://slack.example.com/api/")).toBe("https://api.slack.com/apps");
});

test.each(["http://a.org", "gantry.example.com", ""])("%o is no address that Slack can call", (url) => {
  const why = /https:\/\/gantry\.example\.com/u;
  expect(() => manifestFor(text, { url, command: "/gantry" })).toThrow(why);
  expect(() => manifestFor(text, { ...socket, installUrl: url })).toThrow(why);
});
