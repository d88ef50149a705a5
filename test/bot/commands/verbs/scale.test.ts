import { expect, test } from "vitest";
import { scale } from "../../../../src/bot/commands/verbs/scale.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { service } from "../../views/support/workloads.ts";
import { scripted } from "../support/script.ts";

test("a step is stored as the size it came to, so a repeated request doesn't take it again", async () => {
  const { context } = scripted({ services: [service("web", { target_instance_size: 2 })] });
  const { ask } = parseText("scale web +1");

  const change = await scale.propose(ask, context);

  expect(change.call).toMatchObject({ body: { target_instance_size: 3 } });
  expect(scale.settledArgs?.(ask.args, change)).toEqual({ name: "web", size: "3" });
});

test("a step down is on the card as the size it comes to", async () => {
  const { context } = scripted({ services: [service("web", { target_instance_size: 3 })] });

  const { diff } = await scale.propose(parseText("scale web -2").ask, context);

  expect(diff).toEqual(["instances 3 → 1"]);
});

test("a step needs a known size and stays within the limits", async () => {
  const { context } = scripted({
    services: [service("web", { target_instance_size: 2 }), service("odd", { target_instance_size: undefined })],
  });

  await expect(scale.propose(parseText("scale web -3").ask, context)).rejects.toMatchObject({
    message: expect.stringContaining("from 2 to -1") as unknown, // a matcher of vitest
    next: expect.stringContaining("Nothing was changed") as unknown, // the same
  });
  await expect(scale.propose(parseText("scale odd +1").ask, context)).rejects.toThrow("didn't say how many");
});
