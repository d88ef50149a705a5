import { type JsonObject, textOf } from "../../../json.ts";
import type { ElementProps } from "./use-element.ts";
import { wordsOf } from "../text/plain-text.ts";

/** Whether this field takes the focus when its view opens (focus_on_load). */
export function wantsFocus(element: JsonObject): true | undefined {
  return element["focus_on_load"] === true ? true : undefined;
}

/** Attributes of every field: its name, its description, whether it is invalid. */
export function fieldAttributes(props: ElementProps) {
  const isWrong = props.context.errors[textOf(props.block["block_id"])] !== undefined;
  return {
    "aria-labelledby": props.labelId,
    "aria-label": props.labelId === undefined ? props.name : undefined,
    "aria-describedby": props.describedBy,
    "aria-invalid": isWrong || undefined,
    "aria-required": props.block["type"] === "input" && props.block["optional"] !== true ? true : undefined,
    autofocus: wantsFocus(props.element),
    placeholder: wordsOf(props.element, "placeholder") || undefined,
  };
}
