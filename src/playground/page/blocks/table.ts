import { type ComponentChild, h, type JSX } from "preact";
import { isList, isObject, type Json, type JsonObject, objectOf, textOf } from "../../json.ts";
import type { BlockContext } from "./block-context.ts";
import { useScrollHint } from "./use-scroll-hint.ts";
import { RichText } from "./text/rich-text.ts";

type TableProps = { readonly block: JsonObject; readonly context: BlockContext };

function drawCell(context: BlockContext, cell: Json): ComponentChild {
  if (!isObject(cell)) return null;
  if (cell["type"] === "rich_text") return h(RichText, { block: cell, context });
  return textOf(cell["text"]);
}

/** A column's alignment. Default: left, in one line. */
function columnClass(setting: JsonObject): string {
  const align = textOf(setting["align"]) || "left";
  return setting["is_wrapped"] === true ? `align-${align} wrapped` : `align-${align}`;
}

function drawRow(props: TableProps, row: Json, tag: "th" | "td"): JSX.Element {
  const settings = props.block["column_settings"];
  const cells = isList(row) ? row : [];
  return h(
    "tr",
    null,
    ...cells.map((cell, column) => {
      const setting = objectOf(isList(settings) ? settings[column] : undefined);
      // The title shows text that does not fit.
      const inner = h(
        "div",
        { class: "cell", title: textOf(objectOf(cell)["text"]) || undefined },
        drawCell(props.context, cell),
      );
      return h(tag, { class: columnClass(setting), scope: tag === "th" ? "col" : undefined }, inner);
    }),
  );
}

const hints = { right: "Scroll for more columns →", left: "← Scroll for more columns" } as const; // keys are the sides

/**
 * A table in a scrolling pane, with a hint where columns are hidden; its first row is the head.
 * https://docs.slack.dev/reference/block-kit/blocks/table-block
 * https://docs.slack.dev/reference/block-kit/blocks/data-table-block
 */
export function Table(props: TableProps): JSX.Element {
  const rows = isList(props.block["rows"]) ? props.block["rows"] : [];
  const [head, ...body] = rows;
  const { pane, more } = useScrollHint();
  const name = textOf(props.block["caption"]) || `Table of ${rows.length} rows`;
  return h(
    "div",
    { class: `table-frame ${more}` },
    h(
      "div",
      { ref: pane, class: "table-pane", tabIndex: 0, role: "region", "aria-label": name },
      h(
        "table",
        null,
        head === undefined ? null : h("thead", null, drawRow(props, head, "th")),
        h("tbody", null, ...body.map((row) => drawRow(props, row, "td"))),
      ),
    ),
    more === "" ? null : h("p", { class: "table-hint", "aria-hidden": "true" }, hints[more]),
  );
}
