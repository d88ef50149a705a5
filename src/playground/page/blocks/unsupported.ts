import { h, type JSX } from "preact";
import { type JsonObject, textOf } from "../../json.ts";

/** A block or element that the playground can't draw, shown as JSON. */
export function Unsupported(props: { readonly what: "block" | "element"; readonly json: JsonObject }): JSX.Element {
  const type = textOf(props.json["type"]) || "without a type";
  return h(
    "details",
    { class: "not-drawn" },
    h("summary", null, `Not drawn here: ${props.what} `, h("code", null, type)),
    h("pre", { tabIndex: 0 }, JSON.stringify(props.json, null, 2)),
  );
}
