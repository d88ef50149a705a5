import { h, type JSX, render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { isList, isObject, type Json, type JsonObject } from "../../json.ts";
import { Blocks } from "../blocks/blocks.ts";
import { type ActionValue, valueKey } from "../blocks/block-context.ts";
import { findEmoji, loadEmoji } from "../blocks/text/plain-text.ts";
import type { Sample, SampleGroup } from "./sample.ts";
import { samples } from "./samples.ts";
import { galleryContext } from "./gallery-context.ts";

// The date near which the samples' dates are.
const now = 1_795_243_600_000;

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

type Emoji = (name: string) => string | undefined;

function SampleCard(props: { readonly sample: Sample; readonly id: string; readonly emoji: Emoji }): JSX.Element {
  const { sample, id, emoji } = props;
  const [values, setValues] = useState<Readonly<Record<string, ActionValue>>>({});
  const [lastAction, setLastAction] = useState<JsonObject>();
  const blocks = useMemo(() => withIds(sample.blocks, id), [sample]);
  const context = galleryContext({
    sample,
    values,
    keep: (ref, value) => setValues((before) => ({ ...before, [valueKey(ref)]: value })),
    onAction: setLastAction,
    emoji,
    now,
  });
  const kind = sample.isRefused === true ? `${sample.surface}, refused by Slack` : sample.surface;
  return h(
    "article",
    { id, class: `sample ${sample.surface}`, "aria-labelledby": `${id}-title` },
    h("h3", { id: `${id}-title` }, sample.title, h("span", { class: "sample-kind" }, kind)),
    h("div", { class: "sample-stage" }, h(Blocks, { blocks, context })),
    h(
      "div",
      { class: "sample-action", role: "status" },
      lastAction === undefined ? "" : `The bot hears ${JSON.stringify(lastAction)}`,
    ),
  );
}

function Group({ group, emoji }: { readonly group: SampleGroup; readonly emoji: Emoji }): JSX.Element {
  const id = slug(group.name);
  return h(
    "section",
    { id, "aria-labelledby": `${id}-name` },
    h("h2", { id: `${id}-name` }, group.name),
    ...group.samples.map((sample, at) => h(SampleCard, { key: at, sample, id: `${id}-${at}`, emoji })),
  );
}

function Gallery(): JSX.Element {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    // Without the names, emoji are shown as :names:.
    loadEmoji("/page/emoji.json").then(setNames, () => undefined);
  }, []);
  const links = samples.map(({ name }) => h("a", { href: `#${slug(name)}` }, name));
  return h(
    "div",
    { class: "gallery" },
    h(
      "header",
      null,
      h("h1", null, "Gallery of blocks"),
      h(
        "p",
        null,
        "Each block and element at its least, typical, and at its limit, as the playground draws it. The bot here is played by this page.",
      ),
      h("nav", { "aria-label": "Blocks" }, ...links, h("a", { href: "/" }, "To the playground")),
    ),
    h(
      "main",
      null,
      ...samples.map((group) => h(Group, { key: group.name, group, emoji: (name) => findEmoji(names, name) })),
    ),
  );
}

const root = document.getElementById("gallery");
if (root !== null) render(h(Gallery, {}), root);

function withActionId(element: Json, id: string): Json {
  return isObject(element) ? { action_id: id, ...element } : element;
}

/** Blocks with sequential ids, so that screenshots of the page are stable. */
function withIds(blocks: readonly JsonObject[], sample: string): readonly JsonObject[] {
  return blocks.map((block, at) => {
    const id = `${sample}-${at}`;
    const { elements, accessory, element } = block;
    return {
      block_id: id,
      ...block,
      ...(isList(elements) && block["type"] === "actions"
        ? { elements: elements.map((each, index) => withActionId(each, `${id}-${index}`)) }
        : {}),
      ...(accessory === undefined ? {} : { accessory: withActionId(accessory, id) }),
      ...(element === undefined ? {} : { element: withActionId(element, id) }),
    };
  });
}
