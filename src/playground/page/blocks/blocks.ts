import { type FunctionComponent, h, type JSX } from "preact";
import { type JsonObject, textOf } from "../../json.ts";
import { Alert } from "./alert.ts";
import type { BlockContext, BlockProps } from "./block-context.ts";
import { ImageBlock } from "./image.ts";
import { Input } from "./input.ts";
import { Markdown } from "./text/markdown.ts";
import { Unsupported } from "./unsupported.ts";
import { RichText } from "./text/rich-text.ts";
import { Actions, Context, Section } from "./section.ts";
import { Table } from "./table.ts";
import { TextObject } from "./text/text-object.ts";
import { useBlockKeys } from "./use-block-keys.ts";

function Header({ block, context }: BlockProps): JSX.Element {
  return h("h3", { class: "header" }, h(TextObject, { text: block["text"], context }));
}

function Divider(): JSX.Element {
  return h("hr", { class: "block-divider" });
}

const kinds: Readonly<Record<string, FunctionComponent<BlockProps>>> = {
  header: Header,
  section: Section,
  divider: Divider,
  context: Context,
  actions: Actions,
  image: ImageBlock,
  input: Input,
  rich_text: RichText,
  table: Table,
  data_table: Table,
  alert: Alert,
  markdown: Markdown,
};

function drawBlock(context: BlockContext, block: JsonObject, key: string): JSX.Element {
  const type = textOf(block["type"]);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) return h(Unsupported, { key, what: "block", json: block });
  return h(kind, { key, block, context });
}

/** Blocks of a message or a view. https://docs.slack.dev/reference/block-kit/blocks */
export function Blocks(props: { readonly blocks: readonly JsonObject[]; readonly context: BlockContext }): JSX.Element {
  const keys = useBlockKeys(props.blocks);
  const drawn = props.blocks.map((block, at) => drawBlock(props.context, block, keys[at] ?? `${at}`));
  return h("div", { class: "blocks" }, ...drawn);
}
