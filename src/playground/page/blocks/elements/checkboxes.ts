import { h, type JSX } from "preact";
import { useId } from "preact/hooks";
import { type JsonObject, objectsOf, textOf } from "../../../json.ts";
import type { BlockContext } from "../block-context.ts";
import { type ElementProps, fieldAttributes, useElement } from "./use-element.ts";
import { TextObject } from "../text/text-object.ts";

type Choice = {
  readonly type: "checkbox" | "radio";
  readonly group: string;
  readonly at: number;
  readonly option: JsonObject;
  readonly isChosen: boolean;
  readonly isWrong: boolean;
  readonly onChange: (isChosen: boolean) => void;
};

function drawChoice(context: BlockContext, choice: Choice): JSX.Element {
  const id = `${choice.group}-${choice.at}`;
  const { description } = choice.option;
  return h(
    "div",
    { class: "choice" },
    h("input", {
      id,
      type: choice.type,
      name: choice.group,
      checked: choice.isChosen,
      // Radio buttons have it on their group.
      "aria-invalid": (choice.isWrong && choice.type === "checkbox") || undefined,
      "aria-describedby": description === undefined ? undefined : `${id}-more`,
      onChange: (event: Event) =>
        choice.onChange(event.currentTarget instanceof HTMLInputElement && event.currentTarget.checked),
    }),
    h("label", { htmlFor: id }, h(TextObject, { text: choice.option["text"], context })),
    description === undefined
      ? null
      : h("div", { class: "choice-more", id: `${id}-more` }, h(TextObject, { text: description, context })),
  );
}

/**
 * Attributes that radio buttons and checkboxes share with every field. In a group of checkboxes, each has the error.
 */
function groupAttributes(props: ElementProps, isMany: boolean) {
  const { placeholder: _placeholder, autofocus: _autofocus, ...attributes } = fieldAttributes(props);
  if (!isMany) return { ...attributes, role: "radiogroup" as const }; // the role itself, not any text
  const { "aria-invalid": _invalid, "aria-required": _required, ...ofAny } = attributes;
  return { ...ofAny, role: "group" as const }; // likewise
}

/** checkboxes and radio_buttons: https://docs.slack.dev/reference/block-kit/block-elements/checkboxes-element */
export function Choices(props: ElementProps): JSX.Element {
  const { element, context } = props;
  const { value, pick, isBusy, extras } = useElement(props);
  const group = useId();
  const isMany = element["type"] === "checkboxes";
  const options = objectsOf(element["options"]);
  const held = value.kind === "option" ? [value.option] : value.kind === "options" ? value.options : [];
  const now = held.map((option) => textOf(option["value"]));
  const isWrong = fieldAttributes(props)["aria-invalid"] === true;
  const change = (option: JsonObject, isChosen: boolean): void => {
    if (!isMany) return pick({ kind: "option", option });
    const others = options.filter((each) => now.includes(textOf(each["value"])) && each !== option);
    // In the order of the options, as Slack sends them.
    pick({
      kind: "options",
      options: options.filter((each) => others.includes(each) || (isChosen && each === option)),
    });
  };
  return h(
    "div",
    {
      class: "choices element",
      ...groupAttributes(props, isMany),
      "aria-busy": isBusy,
    },
    ...options.map((option, at) =>
      drawChoice(context, {
        type: isMany ? "checkbox" : "radio",
        group,
        at,
        option,
        isChosen: now.includes(textOf(option["value"])),
        isWrong,
        onChange: (isChosen) => change(option, isChosen),
      }),
    ),
    extras,
  );
}
