import type { Row, Steps } from "./steps.ts";
import {
  actions,
  button,
  cell,
  chart,
  container,
  dataTable,
  image,
  input,
  option,
  plain,
  publish,
  richList,
  richText,
  section,
  select,
  series,
  table,
} from "../../support/samples.ts";

const answering = { type: "conversations_select", response_url_enabled: true };

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
      error: "invalid_blocks",
      kept: () => openModal({ blocks: [{ type: "alert", text: plain() }] }),
      broken: () => blocks({ type: "alert", text: plain() }),
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
    "element.surface": {
      error: "invalid_blocks",
      kept: () => openModal({ submit: plain(), blocks: [input({ type: "file_input" })] }),
      broken: () => blocks(input({ type: "file_input" })),
    },
    "input.silent-files": {
      error: "invalid_arguments",
      kept: () => openModal({ submit: plain(), blocks: [input({ type: "file_input" }, { dispatch_action: false })] }),
      broken: () => openModal({ submit: plain(), blocks: [input({ type: "file_input" }, { dispatch_action: true })] }),
    },
    "select.response-url-input": {
      error: "invalid_blocks",
      kept: () => openModal({ submit: plain(), blocks: [input(answering)] }),
      broken: () => blocks(actions(answering)),
    },
    "card.content": {
      error: "invalid_blocks",
      kept: () => blocks({ type: "card", title: plain() }),
      broken: () => blocks({ type: "card", subtitle: plain() }),
    },
    "container.child": {
      error: "invalid_blocks",
      kept: () => blocks(container([section()])),
      broken: () => blocks(container([container([section()])])),
    },
    "container.titled": {
      error: "invalid_blocks",
      kept: () => blocks({ type: "container", rich_text_title: richText(richList()), child_blocks: [section()] }),
      broken: () => blocks({ type: "container", child_blocks: [section()] }),
    },
    "container.collapsed": {
      error: "invalid_blocks",
      kept: () => blocks(container([section()], { default_collapsed: true, is_collapsible: true })),
      broken: () => blocks(container([section()], { default_collapsed: true })),
    },
    "data-table.header": {
      error: "invalid_blocks",
      kept: () => blocks(dataTable([[cell()], [richText(richList())]])),
      broken: () => blocks(dataTable([[richText(richList())], [cell()]])),
    },
    "data-table.body": {
      error: "invalid_blocks",
      kept: () => blocks(dataTable([[cell()], [cell()]])),
      broken: () => blocks(dataTable([[cell()]])),
    },
    "chart.series-name": {
      error: "invalid_blocks",
      kept: () => blocks(chart(["a"], [series("x", ["a"]), series("y", ["a"])])),
      broken: () => blocks(chart(["a"], [series("x", ["a"]), series("x", ["a"])])),
    },
    "chart.points": {
      error: "invalid_blocks",
      kept: () => blocks(chart(["a", "b"], [series("x", ["b", "a"])])),
      broken: () => blocks(chart(["a", "b"], [series("x", ["a"])])),
    },
  } satisfies Record<string, Row>;
}
