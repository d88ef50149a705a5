import { expect, test } from "vitest";
import { repeatMessage } from "../../../src/bot/views/messages/request-answers.ts";
import { drawn } from "./support/drawn.ts";
import { ended, stored } from "./support/stored-changes.ts";

const ask = { verb: "scale", share: false, args: { name: "web", size: "2" } };

test("who repeats a request that nobody could tell the end of reads it, and may run it again", () => {
  const change = ended("failed", { terms: undefined });

  expect(drawn(repeatMessage({ change, ask, agoMs: 40_000 }))).toMatchInlineSnapshot(`
    "❌ web wasn't scaled
    You requested the same 40s ago, and Slack didn't take its card.
    It failed. Nothing was changed.
    Nothing was requested again.
    [Run it again]
    7K3M9Q"
  `);
});

test("nothing is created twice, and what was typed for it is in no button", () => {
  const change = stored({ state: "claimed", op: "createService", verb: "create", diff: ["image nginx"] });
  const post = repeatMessage({ change, ask: { ...ask, args: { env: ["TOKEN=abc"] } }, agoMs: 2_000 });

  expect(drawn(post)).not.toContain("[");
  expect(JSON.stringify(post)).not.toContain("TOKEN");
});
