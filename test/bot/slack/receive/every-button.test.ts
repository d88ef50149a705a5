import { expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import { runButton } from "../../../../src/bot/views/kit/ask-buttons.ts";
import { actions, askButton } from "../../../../src/bot/views/kit/blocks.ts";
import { refusedButtons } from "../../../support/refused-buttons.ts";
import { answerTo } from "../../commands/support/script.ts";
import { service } from "../../views/support/workloads.ts";

// Every view that is drawn in a test is checked the same way: see `drawn`.

const revisions = [
  { revision: 3, images: ["shop/web:1.5"], outcome: "done" },
  { revision: 2, images: ["shop/web:1.4"], outcome: "done" },
  { revision: 1, images: ["shop/web:1.3"], outcome: "aborted" },
];
const kept = service("web", { revision: 3, revisions });
const unknown = service("web", { revision: 3, revisions: revisions.map(({ outcome: _outcome, ...each }) => each) });
const failing = service("web", { ...kept, status: "Failed", rollout: { state: "stuck", from: 2, to: 3 } });
const reads = commands.filter(({ effect }) => effect === "read").map(({ example }) => example);

test.each(["undo web", "undo", "versions web", "show web", "why web", "list", "history web", ...new Set(reads)])(
  "a click on each button that %s answers with does something",
  async (words) => {
    for (const web of [kept, unknown, failing]) {
      const services = [web, service("flaky"), service("worker")];
      const answer = await answerTo(words, { services }).catch(() => undefined);
      expect(refusedButtons(answer?.blocks ?? [])).toEqual([]);
    }
  },
);

test.each([
  ["rolls back to the only version that went well", kept, ["Roll back to 2", "Show"]],
  ["opens the form where none is known to have gone well", unknown, ["Roll back…", "Show"]],
])("the list of versions %s", async (_what, web, labels) => {
  const { blocks } = await answerTo("versions web", { services: [web] });

  expect(blocks.flatMap((block) => (block.type === "actions" ? block.elements : []))).toEqual(
    labels.map((text) => expect.objectContaining({ text: expect.objectContaining({ text }) as unknown })),
  );
});

test("a button that asks for a change as if it only read is found", () => {
  const ask = { verb: "rollback", share: false, args: { name: "service/web" } };

  expect(refusedButtons(actions(askButton("Roll back…", ask)))).toHaveLength(1);
  expect(refusedButtons(actions(runButton("Roll back", ask, { at: 0 })))).toEqual([]);
});
