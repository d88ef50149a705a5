import type { Acts } from "./acts.ts";
import type { Row } from "./row.ts";
import { actions, button, cell, image, input, option, plain, publish, section, select, table } from "./samples.ts";

/** What keeps and what breaks each rule about blocks. */
export function blockRows(acts: Acts) {
  const { world, blocks, openModal } = acts;
  return {
    "block.type": {
      error: "invalid_blocks",
      kept: () => blocks({ type: "divider" }),
      broken: () => blocks({ type: "dividre" }),
    },
    "block.surface": {
      error: "invalid_blocks",
      kept: () => openModal({ blocks: [{ type: "alert", text: plain() }] }),
      broken: () => blocks({ type: "alert", text: plain() }),
    },
    "block.id-unique": {
      error: "invalid_blocks",
      kept: () => blocks({ type: "divider", block_id: "a" }, { type: "divider", block_id: "b" }),
      broken: () => blocks({ type: "divider", block_id: "a" }, { type: "divider", block_id: "a" }),
    },
    "block.place": {
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
      kept: () => blocks(section({ text: plain(), expand: true })),
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
      kept: () => blocks(table([[cell(" ")]])),
      broken: () => blocks(table([[cell("")]])),
    },
    "list.empty": { error: "invalid_blocks", kept: () => blocks(actions(button())), broken: () => blocks(actions()) },
    "option.initial": {
      error: "invalid_arguments",
      kept: () => publish(world, actions(select({ options: [option()], initial_option: option() }))),
      broken: () => publish(world, actions(select({ options: [option()], initial_option: option({ value: "w" }) }))),
    },
    "select.source": {
      error: "invalid_arguments",
      kept: () => publish(world, actions(select())),
      broken: () => publish(world, actions(select({}))),
    },
    "section.content": { error: "invalid_blocks", kept: () => blocks(section()), broken: () => blocks(section({})) },
    "image.source": {
      error: "invalid_blocks",
      kept: () => blocks(image()),
      broken: () => blocks(image({ slack_file: { id: "F1" } })),
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
