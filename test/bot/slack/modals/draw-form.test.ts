import { describe, expect, test } from "vitest";
import type { FormValues } from "../../../../src/bot/commands/forms/form.ts";
import { formCommand } from "../../../../src/bot/commands/grammar/parse.ts";
import {
  drawForm,
  filledForm,
  hiddenWhileReading,
  isOutdated,
  mustReadFirst,
  type OpenedForm,
  readingForm,
} from "../../../../src/bot/slack/modals/draw-form.ts";
import { newMetadata } from "../../../../src/bot/slack/modals/form-metadata.ts";
import { drawnForm } from "../../views/support/drawn.ts";

/** A form of a verb that a person has just opened in #ops. */
function opened(verb: string, values: FormValues = {}): OpenedForm {
  const command = formCommand(verb);
  if (command === undefined) throw new Error(`${verb} has no form`);
  const origin = { userId: "U0DANA", teamId: "T0GANTRY", channelId: "C0OPS" };
  return { command, metadata: newMetadata(command, origin), values };
}

/** The same form after its person chose or typed something. */
function changed(form: OpenedForm, values: FormValues): OpenedForm {
  return { ...form, values: { ...form.values, ...values } };
}

/** A form to scale web, which the read filled with its 2 instances. */
const scalesWeb = filledForm(opened("scale", { name: "service/web" }), { values: { size: "2" } });

describe("a form that another workload is chosen in", () => {
  const chosen = changed(scalesWeb, { name: "service/worker" });

  test("loses the number of the first one at once, and can't be sent before the second one is read", () => {
    const reading = readingForm(chosen);

    expect(isOutdated(chosen)).toBe(true);
    expect(mustReadFirst(chosen)).toBe(true);
    expect(reading.values).toEqual({ name: "service/worker" });
    expect(mustReadFirst(reading)).toBe(true);
    expect(drawnForm(drawForm(reading, { hidden: hiddenWhileReading(reading) }))).not.toContain("Instances");
  });

  test("gets the number of the second one, in a block that Slack hasn't seen", () => {
    const filled = filledForm(readingForm(chosen), { values: { size: "5" } });

    expect(filled.values).toEqual({ name: "service/worker", size: "5" });
    expect(mustReadFirst(filled)).toBe(false);
    const blocks = drawForm(filled, {}).blocks.map(({ block_id }) => block_id);
    expect(blocks).toContain("size@3");
  });

  test("keeps a number that its person typed, before the choice or while it reads", () => {
    const typed = readingForm(changed(chosen, { size: "7" }));

    expect(typed.values["size"]).toBe("7");
    expect(hiddenWhileReading(typed).has("size")).toBe(false);
    expect(filledForm(changed(typed, { size: "8" }), { values: { size: "5" } }).values["size"]).toBe("8");
  });

  test("has no number when the second one can't be read", () => {
    const unread = filledForm(readingForm(chosen), { values: {} });

    expect(unread.values).toEqual({ name: "service/worker" });
    expect(mustReadFirst(unread)).toBe(false);
  });
});

test("another region is read before anything is sent, and loses what was read in the first one", () => {
  const elsewhere = changed(scalesWeb, { region: "us" });

  expect(mustReadFirst(elsewhere)).toBe(true);
  expect(readingForm(elsewhere).values).toEqual({ name: "service/web", region: "us" });
});

test("a form in which only its person wrote is sent as it is, whatever was chosen", () => {
  expect(mustReadFirst(opened("scale", { name: "service/web", size: "3" }))).toBe(false);
  expect(mustReadFirst(opened("scale", { size: "3" }))).toBe(false);
});

test("a secret that was typed isn't sent back to Slack, which keeps it", () => {
  const values = { kind: "service", name: "shop", image: "x", env: "LOG_LEVEL=info\nDB_PASSWORD=hunter2hunter2" };

  const view = drawForm(opened("create", values), {});

  expect(drawnForm(view)).toContain("DB_PASSWORD");
  expect(JSON.stringify(view)).not.toContain("hunter2");
});

test("a required reason is no longer optional", () => {
  const restart = opened("restart", { name: "service/web" });

  expect(drawnForm(drawForm(restart, {}))).toContain("Reason (optional):");
  const asked = { ...restart, metadata: { ...restart.metadata, needsReason: true } };
  expect(drawnForm(drawForm(asked, {}))).not.toContain("Reason (optional):");
});
