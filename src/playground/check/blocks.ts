import type { BlockType } from "../block-kit.ts";
import { isList, isObject, type Json, textOf } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { plain, plainOrMrkdwn } from "./composition-objects.ts";
import { action, input } from "./elements.ts";
import { richTextParts } from "./rich-text.ts";
import {
  block,
  type Check,
  flag,
  list,
  may,
  must,
  notShown,
  object,
  report,
  type Site,
  someString,
  type Surface,
  word,
} from "./shape.ts";

// https://docs.slack.dev/reference/block-kit/blocks

/** https://docs.slack.dev/reference/block-kit/blocks/task-card-block, here only in a plan. */
const task = object({
  type: must(word("task_card")),
  task_id: must(someString),
  title: must(someString),
  status: must(word("pending", "in_progress", "complete", "error")),
});

type Kind = { readonly check: Check; readonly on: readonly Surface[] };
const everywhere: readonly Surface[] = ["message", "modal", "home"];

const kinds: Readonly<Record<string, Kind>> = {
  section: {
    on: everywhere,
    check: block("section", { text: must(plainOrMrkdwn("section.text")), accessory: may(action) }),
  },
  header: { on: everywhere, check: block("header", { text: must(plain("header.text")) }) },
  divider: { on: everywhere, check: block("divider", {}) },
  context: {
    on: everywhere,
    check: block("context", { elements: must(list(plainOrMrkdwn("text.text"), "context.elements")) }),
  },
  actions: { on: everywhere, check: block("actions", { elements: must(list(action, "actions.elements")) }) },
  input: {
    on: everywhere,
    check: block("input", {
      label: must(plain("input.label")),
      element: must(input),
      hint: may(plain("input.hint")),
      optional: may(flag),
      dispatch_action: may(flag),
    }),
  },
  rich_text: { on: everywhere, check: block("rich_text", { elements: must(richTextParts) }) },
  plan: { on: ["message"], check: block("plan", { title: must(someString), tasks: may(list(task)) }) },
} satisfies Record<BlockType, Kind>;

function checkBlock(value: Json, at: string, site: Site): void {
  const type = isObject(value) ? textOf(value["type"]) : "";
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) return report(site, "block.type", [`${at}/type`, notShown(type)]);
  if (!kind.on.includes(site.surface)) {
    return report(site, "block.surface", [
      `${at}/type`,
      `unsupported type: ${type} (not allowed in a ${site.surface})`,
    ]);
  }
  // action_ids are unique per block, so each block starts its own set.
  kind.check(value, at, { ...site, actionIds: new Set() });
}

/** Checks the blocks of one message or view. [] is allowed: an update removes the blocks with it. */
export function checkBlocks(blocks: Json, at: string, site: Site): void {
  if (!isList(blocks)) return report(site, "message.format", [at, "must be an array"]);
  const limit = site.surface === "message" ? "message.blocks" : "view.blocks";
  if (blocks.length > limits[limit].max) report(site, limit, [at, `no more than ${limits[limit].max} items allowed`]);
  for (const [index, each] of blocks.entries()) checkBlock(each, `${at}/${index}`, site);
}
