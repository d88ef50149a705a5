import { expect, test } from "vitest";
import { limits } from "../../../src/bot/views/kit/blocks.ts";
import { limits as judged } from "../../../src/playground/rules/limits.ts";

// They stand twice on purpose: the judge must not learn the law from the judged.
test.each([
  ["blocks", "message.blocks"],
  ["blocksJson", "message.blocks-size"],
  ["text", "update.text"],
  ["header", "header.text"],
  ["plainText", "text.text"],
  ["buttons", "actions.elements"],
  ["buttonText", "button.text"],
  ["buttonValue", "button.value"],
  ["viewBlocks", "view.blocks"],
  ["viewTitle", "view.title"],
  ["viewSubmit", "view.submit"],
  ["viewClose", "view.close"],
  ["viewMetadata", "view.private-metadata"],
  ["inputLabel", "input.label"],
  ["inputHint", "input.hint"],
  ["inputLength", "input.max-length"],
  ["options", "select.options"],
  ["options", "group.options"],
  ["placeholder", "placeholder.text"],
  ["radioOptions", "radio.options"],
  ["optionText", "option.text"],
  ["optionValue", "option.value"],
  ["optionDescription", "option.description"],
  ["groupLabel", "group.label"],
] as const)("the bot's %s is within what the simulated Slack takes as %s", (mine, theirs) => {
  expect(limits[mine]).toBeLessThanOrEqual(judged[theirs].max);
});
