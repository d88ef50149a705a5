import { isList, isObject, type Json, textOf } from "../json.ts";
import { limits } from "../limits.ts";
import { accessory, action, input } from "./elements.ts";
import { imageBlock, imageElement, imageSource } from "./images.ts";
import { richTextParts } from "./rich-text.ts";
import {
  all,
  byType,
  type Check,
  flag,
  list,
  may,
  must,
  object,
  type Property,
  say,
  type Site,
  type Surface,
} from "./shape.ts";
import { text, word } from "./shape.ts";
import { tableBlock, tableTotals } from "./table.ts";
import { plain, plainOrMrkdwn } from "./text-objects.ts";

// https://docs.slack.dev/reference/block-kit/blocks

const blockId: Check = all(text("block.id"), (value, at, site) => {
  if (typeof value !== "string") return;
  if (site.blockIds.has(value)) say(site, "block.id-unique", [at, `duplicate block_id: ${value}`]);
  site.blockIds.add(value);
});

function block(type: string, properties: Readonly<Record<string, Property>>): Check {
  return object({ type: must(word(type)), block_id: may(blockId), ...properties });
}

const sectionContent: Check = (value, at, site) => {
  if (isObject(value) && value["text"] === undefined && value["fields"] === undefined) {
    say(site, "section.content", [at, "missing required field: text or fields"]);
  }
};

const markdownTotal: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const { max } = limits["markdown.text"];
  site.totals.markdown += textOf(value["text"]).length;
  if (site.totals.markdown > max) say(site, "markdown.text", [`${at}/text`, `must be less than ${max + 1} characters`]);
};

const contextText = {
  image: imageElement,
  plain_text: plainOrMrkdwn("text.text"),
  mrkdwn: plainOrMrkdwn("text.text"),
};

type Kind = { readonly check: Check; readonly on: readonly Surface[] };
const everywhere: readonly Surface[] = ["message", "modal", "home"];

const kinds: Readonly<Record<string, Kind>> = {
  section: {
    on: everywhere,
    check: all(
      block("section", {
        text: may(plainOrMrkdwn("section.text")),
        fields: may(list(plainOrMrkdwn("section.field"), "section.fields")),
        accessory: may(accessory),
        expand: may(flag),
      }),
      sectionContent,
    ),
  },
  header: { on: everywhere, check: block("header", { text: must(plain("header.text")) }) },
  divider: { on: everywhere, check: block("divider", {}) },
  context: {
    on: everywhere,
    check: block("context", { elements: must(list(byType(contextText, "block.place"), "context.elements")) }),
  },
  actions: { on: everywhere, check: block("actions", { elements: must(list(action, "actions.elements")) }) },
  image: { on: everywhere, check: all(block("image", imageBlock), imageSource) },
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
  alert: {
    on: ["modal"],
    check: block("alert", {
      text: must(plainOrMrkdwn("alert.text")),
      level: may(word("default", "info", "warning", "error", "success")),
    }),
  },
  markdown: {
    on: ["message"],
    check: all(block("markdown", { text: must(text("markdown.text")) }), markdownTotal),
  },
  // Slack's page also says "home"; live trials by others saw it accepted in messages only.
  table: { on: ["message"], check: all(block("table", tableBlock), tableTotals) },
};

function checkBlock(value: Json, at: string, site: Site): void {
  const type = isObject(value) ? textOf(value["type"]) : "";
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) return say(site, "block.type", [`${at}/type`, `unsupported type: ${type}`]);
  if (!kind.on.includes(site.surface)) {
    return say(site, "block.surface", [`${at}/type`, `unsupported type: ${type} (not allowed in a ${site.surface})`]);
  }
  // action_ids are unique per block, so each block starts its own set.
  kind.check(value, at, { ...site, actionIds: new Set() });
}

/** Checks the blocks of one message or view; [] is allowed (an update removes the blocks with it). */
export function checkBlocks(blocks: Json, at: string, site: Site): void {
  if (!isList(blocks)) return say(site, "message.format", [at, "must be an array"]);
  const limit = site.surface === "message" ? "message.blocks" : "view.blocks";
  if (blocks.length > limits[limit].max) say(site, limit, [at, `no more than ${limits[limit].max} items allowed`]);
  for (const [index, each] of blocks.entries()) checkBlock(each, `${at}/${index}`, site);
}
