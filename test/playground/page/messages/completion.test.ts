import { describe, expect, test } from "vitest";
import { accept, completionAt, examplesOf, usageOf } from "../../../../src/playground/page/messages/completion.ts";
import { snapshot } from "../../support/wire-samples.ts";

describe("suggestions of the composer", () => {
  test.each([
    ["/", ["/gantry", "/invite", "/remove", "New workload"]],
    ["/gan", ["/gantry"]],
    ["/new", ["New workload"]],
    ["/gantry ", []],
    ["say /gan", []],
    ["@", ["@dana", "@alex", "@gantry", "@oncall"]],
    ["hello @ga", ["@gantry"]],
    ["in #", ["#ops", "#general"]],
    ["mail@da", []],
    ["hello", []],
  ])("for %j", (text, labels) => {
    expect((completionAt(snapshot, text, text.length)?.offers ?? []).map((offer) => offer.label)).toEqual(labels);
  });

  test("an offer replaces the word before the caret, and nothing else", () => {
    const text = "hello @ga and bye";
    const completion = completionAt(snapshot, text, 9);

    expect(accept(text, 9, { from: completion?.from ?? 0, insert: "@gantry " })).toEqual({
      text: "hello @gantry and bye",
      caret: 14,
    });
  });

  test.each([
    ["/gantry ", "/gantry list · show NAME · create …"],
    ["/gantry show", "/gantry list · show NAME · create …"],
    ["/invite ", "/invite @name"],
    ["/gantry", ""],
    ["/other x", ""],
  ])("how %j is used", (text, usage) => {
    expect(usageOf(snapshot, text)).toBe(usage);
  });

  test("the examples come from the app's usage hint", () => {
    expect(examplesOf(snapshot)).toEqual(["/gantry list", "/gantry show", "/gantry create"]);
  });
});
