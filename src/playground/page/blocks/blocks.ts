import { type FunctionComponent, h, type JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import { type BlockType, wordsOf } from "../../block-kit.ts";
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from "../../json.ts";
import type { BlockContext, BlockProps } from "./block-context.ts";
import { Element } from "./elements/elements.ts";
import { RichText, TextObject } from "./text-object.ts";

const kinds: Readonly<Record<string, FunctionComponent<BlockProps>>> = {
  header: ({ block, context }) => h("h3", { class: "header" }, h(TextObject, { text: block["text"], context })),
  section: Section,
  divider: () => h("hr", { class: "block-divider" }),
  context: Context,
  actions: Actions,
  input: Input,
  rich_text: RichText,
  plan: Plan,
} satisfies Record<BlockType, FunctionComponent<BlockProps>>;

/** Blocks of a message or a view. https://docs.slack.dev/reference/block-kit/blocks */
export function Blocks(props: { readonly blocks: readonly JsonObject[]; readonly context: BlockContext }): JSX.Element {
  const keys = useBlockKeys(props.blocks);
  const drawn = props.blocks.map((block, at) => {
    const key = keys[at] ?? `${at}`;
    const type = textOf(block["type"]);
    const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    // A workspace that an older version saved may have other types.
    if (kind === undefined) return h("p", { key, class: "not-drawn" }, `Not drawn here: ${type}`);
    return h(kind, { key, block, context: props.context });
  });
  return h("div", { class: "blocks column" }, ...drawn);
}

/** The accessible name of an element without a label. */
function nameOf(element: JsonObject, beside: string): string {
  const type = textOf(element["type"]).replaceAll("_", " ");
  return wordsOf(element, "placeholder") || beside.slice(0, 100) || type;
}

/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
function Section({ block, context }: BlockProps): JSX.Element {
  const { accessory } = block;
  return h(
    "div",
    { class: "section" },
    h("div", { class: "section-main" }, h(TextObject, { text: block["text"], context })),
    isObject(accessory)
      ? h(
          "div",
          { class: "section-accessory" },
          h(Element, { element: accessory, block, context, name: nameOf(accessory, wordsOf(block)) }),
        )
      : null,
  );
}

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
function Actions({ block, context }: BlockProps): JSX.Element {
  const elements = objectsOf(block["elements"]).map((element) =>
    h(Element, { key: textOf(element["action_id"]), element, block, context, name: nameOf(element, "") }),
  );
  return h("div", { class: "actions" }, ...elements);
}

/** https://docs.slack.dev/reference/block-kit/blocks/context-block */
function Context({ block, context }: BlockProps): JSX.Element {
  const elements = objectsOf(block["elements"]).map((element) =>
    h("span", { class: "context-text" }, h(TextObject, { text: element, context })),
  );
  return h("div", { class: "context" }, ...elements);
}

/** A labelled field with its hint and error. https://docs.slack.dev/reference/block-kit/blocks/input-block */
function Input({ block, context }: BlockProps): JSX.Element {
  const id = useId();
  const error = context.errors[textOf(block["block_id"])];
  const hasHint = block["hint"] !== undefined;
  const describedBy = [...(error === undefined ? [] : [`${id}-error`]), ...(hasHint ? [`${id}-hint`] : [])].join(" ");
  const label = h(
    "div",
    { id: `${id}-label`, class: "input-label" },
    h(TextObject, { text: block["label"], context }),
    block["optional"] === true ? h("span", { class: "optional" }, " (optional)") : null,
  );
  return h(
    "div",
    { class: error === undefined ? "input-block column" : "input-block column wrong" },
    label,
    h(Element, {
      element: objectOf(block["element"]),
      block,
      context,
      name: wordsOf(block, "label"),
      labelId: `${id}-label`,
      describedBy: describedBy === "" ? undefined : describedBy,
    }),
    error === undefined ? null : h("div", { id: `${id}-error`, class: "input-error", role: "alert" }, error),
    hasHint
      ? h("div", { id: `${id}-hint`, class: "input-hint" }, h(TextObject, { text: block["hint"], context }))
      : null,
  );
}

const taskSigns: Readonly<Record<string, readonly [sign: string, name: string]>> = {
  pending: ["○", "Pending"],
  in_progress: ["◐", "In progress"],
  complete: ["✓", "Complete"],
  error: ["×", "Failed"],
};

/** https://docs.slack.dev/reference/block-kit/blocks/plan-block */
function Plan({ block }: BlockProps): JSX.Element {
  const tasks = objectsOf(block["tasks"]).map((task, at) =>
    h("li", { key: textOf(task["task_id"]) || at }, h(Task, { task })),
  );
  return h(
    "div",
    { class: "plan" },
    h("div", { class: "plan-title" }, textOf(block["title"])),
    h("ul", null, ...tasks),
  );
}

/** https://docs.slack.dev/reference/block-kit/blocks/task-card-block */
function Task({ task }: { readonly task: JsonObject }): JSX.Element {
  const [sign, name] = taskSigns[textOf(task["status"])] ?? ["○", "Pending"];
  return h(
    "div",
    { class: `task ${textOf(task["status"])}` },
    h("span", { class: "task-sign", role: "img", "aria-label": name }, sign),
    h("div", null, textOf(task["title"])),
  );
}

type Keyed = { readonly key: string; readonly id: string; readonly content: string };

function takeFirst(left: Keyed[], isIt: (keyed: Keyed) => boolean): Keyed | undefined {
  const at = left.findIndex(isIt);
  return at === -1 ? undefined : left.splice(at, 1)[0];
}

/**
 * Keys under which blocks stay on the page when their message or view is updated: a block with the same block_id keeps
 * its input, as in Slack. Slack makes up a new id where the app sends none, so a block that says the same as before
 * stays too: otherwise an update would take the focus, or a click, from a button that didn't change.
 */
function useBlockKeys(blocks: readonly JsonObject[]): readonly string[] {
  const before = useRef<readonly Keyed[]>([]);
  const made = useRef(0);
  const left = [...before.current];
  const drawn = blocks.map((block) => {
    const { block_id: id, ...rest } = block;
    const one = { id: `${textOf(block["type"])} ${textOf(id)}`, content: JSON.stringify(rest) };
    return { ...one, key: takeFirst(left, (each) => each.id === one.id)?.key };
  });
  before.current = drawn.map(({ id, content, key }) => {
    const kept = key ?? takeFirst(left, (each) => each.content === content)?.key;
    return { id, content, key: kept ?? `block ${(made.current += 1)}` };
  });
  return before.current.map(({ key }) => key);
}
