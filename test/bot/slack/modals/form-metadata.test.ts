import { expect, test } from "vitest";
import { SentForm } from "../../../../src/bot/slack/modals/form-metadata.ts";
import { unfinishedIn } from "../../../../src/bot/workflow/inbox/interaction.ts";

test("a form that was sent to version 0.1.0 and not answered yet can still be answered", () => {
  const place = { userId: "U1", teamId: "T1", channelId: "C1" };
  const metadata = { verb: "scale", place, asksWhere: false, isMore: true, generations: { size: 1 }, filled: {} };
  const stored = {
    kind: "ask",
    ask: { verb: "scale", share: false, args: { name: "web", size: 3 } },
    place,
    form: { viewId: "V1", metadata, values: { name: "web", size: "3" } },
  };

  const { interaction } = unfinishedIn(JSON.stringify(stored));

  expect(interaction).toMatchObject({ kind: "ask", origin: place });
  expect("form" in interaction && SentForm.parse(interaction.form)).toMatchObject({
    viewId: "V1",
    metadata: { verb: "scale", origin: place, generations: { size: 1 } },
    values: { size: "3" },
  });
});
