import { h, type JSX } from "preact";
import { isObject, textOf } from "../../../json.ts";
import { safeLink } from "../text/safe-link.ts";
import { TextObject } from "../text/text-object.ts";
import { type ElementProps, useElement } from "./use-element.ts";
import { wordsOf } from "../text/plain-text.ts";

function lookOf(style: string): string {
  return style === "primary" || style === "danger" ? `button ${style}` : "button";
}

/** A button; one with a url opens it too. https://docs.slack.dev/reference/block-kit/block-elements/button-element */
export function Button(props: ElementProps): JSX.Element {
  const { element, context } = props;
  const href = safeLink(textOf(element["url"]));
  const asksFirst = isObject(element["confirm"]);
  const { send, isBusy, extras } = useElement(props, () => {
    if (href !== undefined && asksFirst) open(href, "_blank", "noopener,noreferrer");
  });
  const shared = {
    class: lookOf(textOf(element["style"])),
    "aria-label": textOf(element["accessibility_label"]) || undefined,
    // Not `disabled`, which would lose the keyboard focus.
    "aria-busy": isBusy,
    "aria-disabled": isBusy || undefined,
    title: wordsOf(element),
  };
  const click = (): void => {
    if (!isBusy) send({ kind: "click" });
  };
  const label = h("span", { class: "button-label" }, h(TextObject, { text: element["text"], context }));
  if (href === undefined)
    return h("span", { class: "element" }, h("button", { ...shared, type: "button", onClick: click }, label), extras);
  const follow = (event: MouseEvent): void => {
    if (asksFirst || isBusy) event.preventDefault();
    click();
  };
  const anchor = h("a", { ...shared, href, target: "_blank", rel: "noopener noreferrer", onClick: follow }, label);
  return h("span", { class: "element" }, anchor, extras);
}
