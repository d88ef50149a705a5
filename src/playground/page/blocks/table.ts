import { h, type JSX, type RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isList, isObject, type Json, type JsonObject, objectOf, textOf } from "../../json.ts";
import type { BlockContext } from "./block-context.ts";
import { RichText } from "./text/rich-text.ts";

type TableProps = { readonly block: JsonObject; readonly context: BlockContext };

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
        isObject(cell) && cell["type"] === "rich_text"
          ? h(RichText, { block: cell, context: props.context })
          : textOf(objectOf(cell)["text"]),
      );
      const align = textOf(setting["align"]) || "left";
      const look = setting["is_wrapped"] === true ? `align-${align} wrapped` : `align-${align}`;
      return h(tag, { class: look, scope: tag === "th" ? "col" : undefined }, inner);
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

/** The side on which a pane hides something; "" if all of it is visible. */
type Side = "" | "left" | "right";

/** Rounding of browsers. */
const slackPx = 2;

/** Watches a pane that scrolls sideways: phones show no scrollbar that would tell. */
function useScrollHint(): { readonly pane: RefObject<HTMLDivElement | null>; readonly more: Side } {
  const pane = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState<Side>("");
  useLayoutEffect(() => {
    const { current } = pane;
    if (current === null) return undefined;
    const look = (): void => {
      const { scrollLeft, scrollWidth, clientWidth } = current;
      if (scrollWidth - clientWidth <= slackPx) setMore("");
      else setMore(scrollLeft + clientWidth < scrollWidth - slackPx ? "right" : "left");
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    if (current.firstElementChild !== null) sizes.observe(current.firstElementChild);
    current.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  return { pane, more };
}
