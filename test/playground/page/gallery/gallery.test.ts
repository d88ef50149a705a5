import { describe, expect, test } from "vitest";
import { checkContent } from "../../../../src/playground/check/message.ts";
import { checkView } from "../../../../src/playground/check/view.ts";
import { Refused } from "../../../../src/playground/rules/refusal.ts";
import type { Sample } from "../../../../src/playground/page/gallery/sample.ts";
import { samples } from "../../../../src/playground/page/gallery/samples.ts";

/** The problems that the workspace finds in a sample, as a bot would get them; [] if it accepts the sample. */
function verdict(sample: Sample): readonly string[] {
  const title = { type: "plain_text", text: "Sample" };
  try {
    if (sample.surface === "modal") checkView({ type: "modal", title, submit: title, blocks: sample.blocks }, "modal");
    // A response_url has no limit on the total size of blocks.
    else
      checkContent({ text: "x", blocks: sample.blocks }, { textLimit: "message.text", summed: false, needsText: true });
    return [];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.problems.map(({ rule, at, message }) => `${rule} ${at} ${message}`);
  }
}

const all = samples.flatMap((group) =>
  group.samples.map((sample) => ({ name: `${group.name}: ${sample.title}`, sample })),
);

describe("Slack accepts every sample of the gallery", () => {
  test.each(all.filter(({ sample }) => sample.isRefused !== true))("$name ($sample.surface)", ({ sample }) => {
    expect(verdict(sample)).toEqual([]);
  });

  test.each(all.filter(({ sample }) => sample.isRefused === true))(
    "$name is refused, and shown all the same",
    ({ sample }) => {
      expect(verdict(sample)).not.toEqual([]);
    },
  );
});

test("each sample has a name of its own", () => {
  const names = all.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});
