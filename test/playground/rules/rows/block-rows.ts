import type { Row, Steps } from "./steps.ts";
import { actions, button, input, option, plain, publish, section, select } from "../../support/samples.ts";

/** For each rule about blocks: a step that keeps it and one that breaks it. */
export function blockRows(steps: Steps) {
  const { world, blocks, openModal } = steps;
  return {
    "block.type": {
      error: "invalid_blocks",
      kept: () => blocks({ type: "divider" }),
      broken: () => blocks({ type: "dividre" }),
    },
    "block.surface": {
      error: "invalid_arguments",
      kept: () => blocks({ type: "plan", title: "x" }),
      broken: () => openModal({ blocks: [{ type: "plan", title: "x" }] }),
    },
    "block.id-unique": {
      error: "invalid_blocks",
      kept: () => blocks({ type: "divider", block_id: "a" }, { type: "divider", block_id: "b" }),
      broken: () => blocks({ type: "divider", block_id: "a" }, { type: "divider", block_id: "a" }),
    },
    "url.value": {
      error: "invalid_blocks",
      kept: () => blocks(actions(button({ url: "https://example.com/a" }))),
      broken: () => blocks(actions(button({ url: "example.com/a" }))),
    },
    "element.block": {
      error: "invalid_blocks",
      kept: () => blocks(input({ type: "plain_text_input" })),
      broken: () => blocks(actions({ type: "plain_text_input" })),
    },
    "action.id-unique": {
      error: "invalid_blocks",
      kept: () => blocks(actions(button({ action_id: "a" })), actions(button({ action_id: "a" }))),
      broken: () => blocks(actions(button({ action_id: "a" }), button({ action_id: "a" }))),
    },
    "object.property": {
      error: "invalid_blocks",
      kept: () => blocks(section({ text: plain(), block_id: "a" })),
      broken: () => blocks(section({ text: plain(), colour: "red" })),
    },
    "object.required": {
      error: "invalid_blocks",
      kept: () => blocks({ type: "header", text: plain() }),
      broken: () => blocks({ type: "header" }),
    },
    "object.value": {
      error: "invalid_blocks",
      kept: () => blocks(actions(button({ style: "danger" }))),
      broken: () => blocks(actions(button({ style: "secondary" }))),
    },
    "text.empty": {
      error: "invalid_blocks",
      kept: () => blocks(section({ text: plain(" ") })),
      broken: () => blocks(section({ text: plain("") })),
    },
    "list.empty": { error: "invalid_blocks", kept: () => blocks(actions(button())), broken: () => blocks(actions()) },
    "option.initial": {
      error: "invalid_arguments",
      kept: () => publish(world, actions(select({ options: [option()], initial_option: option() }))),
      broken: () => publish(world, actions(select({ options: [option()], initial_option: option({ value: "w" }) }))),
    },
    "input.range": {
      error: "invalid_arguments",
      kept: () =>
        publish(world, input({ type: "number_input", is_decimal_allowed: false, min_value: "9", max_value: "10" })),
      broken: () =>
        publish(world, input({ type: "number_input", is_decimal_allowed: false, min_value: "10", max_value: "9" })),
    },
  } satisfies Record<string, Row>;
}
