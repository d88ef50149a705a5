import type { BlockType } from "../block-kit.ts";
import { isList, isObject, type Json, type JsonObject, objectsOf, parseJson, textOf } from "../json.ts";
import { type LimitId, limits } from "../rules/limits.ts";
import { action, input, plain, plainOrMrkdwn, richTextParts } from "./elements.ts";
import {
  block,
  type Check,
  flag,
  list,
  may,
  must,
  newSite,
  notShown,
  object,
  report,
  type Site,
  someString,
  type Surface,
  text,
  word,
} from "./shape.ts";
import { refuse, Refused } from "../rules/rules.ts";

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
function checkBlocks(blocks: Json, at: string, site: Site): void {
  if (!isList(blocks)) return report(site, "message.format", [at, "must be an array"]);
  const limit = site.surface === "message" ? "message.blocks" : "view.blocks";
  if (blocks.length > limits[limit].max) report(site, limit, [at, `no more than ${limits[limit].max} items allowed`]);
  for (const [index, each] of blocks.entries()) checkBlock(each, `${at}/${index}`, site);
}

/** A message's checked content. Undefined blocks were not sent. */
export type Content = { readonly text: string; readonly blocks: readonly JsonObject[] | undefined };

type ContentRules = {
  readonly textLimit: LimitId;
  /** chat.* methods limit the total size of the blocks; response_url does not. */
  readonly summed: boolean;
};

/** Forms carry blocks as JSON text, JSON bodies as lists. */
function listOf(value: Json | undefined): readonly JsonObject[] | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const parsed = typeof value === "string" ? parseJson(value) : value;
  if (!isList(parsed) || !parsed.every(isObject)) {
    refuse("invalid_blocks_format", "message.format", "must be a JSON array of objects");
  }
  return objectsOf(parsed);
}

/** Reads and checks text and blocks of a message; throws Refused with Slack's code. */
export function checkContent(args: JsonObject, { textLimit, summed }: ContentRules): Content {
  const text = textOf(args["text"]);
  if (text.length > limits[textLimit].max) refuse("msg_too_long", textLimit, `${text.length} characters`);
  if (text === "") refuse("no_text", "message.text-needed", "no top-level text");
  const blocks = listOf(args["blocks"]);
  if (blocks === undefined) return { text, blocks };
  const site = newSite("message");
  checkBlocks(blocks, "/blocks", site);
  if (site.problems.length > 0) throw new Refused("invalid_blocks", site.problems);
  const size = JSON.stringify(blocks).length;
  if (summed && size > limits["message.blocks-size"].max) {
    refuse("msg_blocks_too_long", "message.blocks-size", `${size} characters of JSON in the blocks`);
  }
  return { text, blocks };
}

// https://docs.slack.dev/reference/views

const sized = (limit: "view.private-metadata" | "view.callback-id" | "view.external-id"): Check => {
  return (value, at, site) => (value === "" ? undefined : text(limit)(value, at, site));
};

const base = {
  blocks: must((value, at, site) => checkBlocks(value, at, site)),
  private_metadata: may(sized("view.private-metadata")),
  callback_id: may(sized("view.callback-id")),
  external_id: may(sized("view.external-id")),
} satisfies Parameters<typeof object>[0];

const modal = object({
  type: must(word("modal")),
  title: must(plain("view.title")),
  submit: may(plain("view.submit")),
  close: may(plain("view.close")),
  ...base,
});

const home = object({ type: must(word("home")), ...base });

/** Reads and checks a view (JSON text or an object); throws Refused with Slack's code. */
export function checkView(input: Json | undefined, surface: "modal" | "home"): JsonObject {
  const view = typeof input === "string" ? parseJson(input) : input;
  if (!isObject(view)) refuse("invalid_arguments", "method.arguments", "view must be a JSON object");
  const size = Buffer.byteLength(JSON.stringify(view));
  if (size > limits["view.size"].max) refuse("view_too_large", "view.size", `${size} bytes`);
  const site = newSite(surface);
  (surface === "modal" ? modal : home)(view, "/view", site);
  const hasInput = objectsOf(view["blocks"]).some((block) => block["type"] === "input");
  if (surface === "modal" && hasInput && view["submit"] === undefined) {
    report(site, "view.submit-needed", ["/view", "missing required field: submit"]);
  }
  if (site.problems.length > 0) throw new Refused("invalid_arguments", site.problems);
  return view;
}
