import { expect, test } from "vitest";
import { createPlayground } from "../../../src/playground/playground.ts";
import { type LimitId, limits } from "../../../src/playground/rules/limits.ts";
import { Refused, type OtherRuleId } from "../../../src/playground/rules/rules.ts";
import type { App } from "../../../src/playground/world.ts";
import { long, many } from "../support/samples.ts";
import { app, botToken, signingSecret } from "../support/small-world.ts";

type AppRuleId = Extract<LimitId | OtherRuleId, `app.${string}`>;

/** The rules that are checked when an app is installed. */
function brokenRules(changes: Partial<App>): readonly string[] {
  const requestUrl = (): string => "http://127.0.0.1:1/";
  try {
    createPlayground({
      app: { ...app, ...changes },
      signingSecret,
      botToken,
      url: "http://x.test",
      requestUrl,
    }).close();
    return [];
  } catch (error) {
    const refused = error instanceof Error ? error.cause : undefined;
    if (!(refused instanceof Refused)) throw error;
    return refused.problems.map((problem) => problem.rule);
  }
}

const shortcut = { type: "global", name: "x", callbackId: "x", description: "x" } as const;

type Sized = Extract<LimitId, AppRuleId>;
const sized: Readonly<Record<Sized, (n: number) => Partial<App>>> = {
  "app.name": (n) => ({ name: long(n) }),
  "app.bot-name": (n) => ({ botDisplayName: long(n) }),
  "app.commands": (n) => ({ commands: many(n, (index) => `/c${index}`) }),
  "app.command": (n) => ({ commands: [`/${long(n - 1)}`] }),
  "app.shortcuts": (n) => ({ shortcuts: many(n, () => shortcut) }),
  "app.shortcut-name": (n) => ({ shortcuts: [{ ...shortcut, name: long(n) }] }),
  "app.shortcut-description": (n) => ({ shortcuts: [{ ...shortcut, description: long(n) }] }),
  "app.callback-id": (n) => ({ shortcuts: [{ ...shortcut, callbackId: long(n) }] }),
  "app.events": (n) => ({ events: many(n, (index) => `event_${index}`) }),
  "app.scopes": (n) => ({ scopes: many(n, (index) => `scope:${index}`) }),
};

test.each(Object.entries(sized))("an app is taken at the limit of %s, and not one past it", (id, make) => {
  const { max } = limits[id as Sized]; // the keys of a record over Sized

  expect(brokenRules(make(max))).toEqual([]);
  expect(brokenRules(make(max + 1))).toEqual([id]);
});

const named: Readonly<Record<Exclude<AppRuleId, Sized>, readonly [kept: Partial<App>, broken: Partial<App>]>> = {
  "app.command-name": [{ commands: ["/gantry-2"] }, { commands: ["gantry"] }],
  "app.bot-letters": [{ botDisplayName: "gantry_2.x-y" }, { botDisplayName: "Gantry" }],
};

test.each(Object.entries(named))("%s is kept, then broken", (id, [kept, broken]) => {
  expect(brokenRules(kept)).toEqual([]);
  expect(brokenRules(broken)).toEqual([id]);
});

test("an app that Slack would not take is refused in a sentence", () => {
  const make = () =>
    createPlayground({
      app: { ...app, commands: ["/run gantry"] },
      signingSecret,
      botToken,
      url: "http://x.test",
      requestUrl: () => "",
    });

  expect(make).toThrow(
    "Slack would reject this app: invalid_manifest: /run gantry is no slash and one word at /features/slash_commands/0/command. Rule: a slash command is a slash and one word.",
  );
});
