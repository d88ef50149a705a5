import { h, type JSX } from "preact";
import { type JsonObject, textOf } from "../../json.ts";

/** What the playground has no drawing for: said, with its JSON, never swallowed. */
export function Unsupported(props: { readonly what: "block" | "element"; readonly json: JsonObject }): JSX.Element {
  const type = textOf(props.json["type"]) || "without a type";
  return h(
    "details",
    { class: "not-drawn" },
    h("summary", null, `Not drawn here: ${props.what} `, h("code", null, type)),
    h("pre", { tabIndex: 0 }, JSON.stringify(props.json, null, 2)),
  );
}
