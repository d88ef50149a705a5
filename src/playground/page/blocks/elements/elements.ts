import { type FunctionComponent, h, type JSX } from "preact";
import { type ElementType, wordsOf } from "../../../block-kit.ts";
import { objectsOf, textOf, isObject, type Json, type JsonObject } from "../../../json.ts";
import { Select } from "./select.ts";
import { type ElementProps, useElement, fieldAttributes } from "./use-element.ts";
import { safeLink, type BlockContext } from "../block-context.ts";
import { TextObject } from "../text-object.ts";
import { Menu } from "../../controls/menu.ts";
import { useId, useRef } from "preact/hooks";

const kinds: Readonly<Record<string, FunctionComponent<ElementProps>>> = {
  button: Button,
  overflow: OverflowMenu,
  static_select: Select,
  multi_static_select: Select,
  external_select: Select,
  users_select: Select,
  conversations_select: Select,
  checkboxes: Choices,
  radio_buttons: Choices,
  datepicker: DateField,
  plain_text_input: TextField,
  number_input: TextField,
} satisfies Record<ElementType, FunctionComponent<ElementProps>>;

/** Any element of a block: https://docs.slack.dev/reference/block-kit/block-elements */
export function Element(props: ElementProps): JSX.Element {
  const type = textOf(props.element["type"]);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  return kind === undefined ? h("span", { class: "not-drawn" }, `Not drawn here: ${type}`) : h(kind, props);
}

/** A button; one with a url opens it too. https://docs.slack.dev/reference/block-kit/block-elements/button-element */
function Button(props: ElementProps): JSX.Element {
  const { element, context } = props;
  const href = safeLink(textOf(element["url"]));
  const style = textOf(element["style"]);
  const { send, isBusy, extras } = useElement(props);
  const shared = {
    class: style === "primary" || style === "danger" ? `button ${style}` : "button",
    // Not `disabled`, which would lose the keyboard focus.
    "aria-busy": isBusy,
    "aria-disabled": isBusy || undefined,
    title: wordsOf(element),
  };
  const click = (): void => {
    if (!isBusy) send(null);
  };
  const label = h("span", { class: "button-label cut" }, h(TextObject, { text: element["text"], context }));
  if (href === undefined)
    return h("span", { class: "element" }, h("button", { ...shared, type: "button", onClick: click }, label), extras);
  const follow = (event: MouseEvent): void => {
    if (isBusy) event.preventDefault();
    click();
  };
  const anchor = h("a", { ...shared, href, target: "_blank", rel: "noopener noreferrer", onClick: follow }, label);
  return h("span", { class: "element" }, anchor, extras);
}

/** The ⋯ menu: https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element */
function OverflowMenu(props: ElementProps): JSX.Element {
  const { send, isBusy, extras } = useElement(props);
  const items = objectsOf(props.element["options"]).map((option) => ({
    label: wordsOf(option),
    detail: wordsOf(option, "description") || undefined,
    run: () => (isBusy ? undefined : send(option)),
  }));
  const menu = { class: "button overflow", label: `More actions: ${props.name}`, isBusy, items };
  return h("span", { class: "element" }, h(Menu, menu, "⋯"), extras);
}

// Assumed share of the maximum at which Slack shows a counter; it is not documented.
const counterFrom = 0.8;

function Counter(props: { readonly element: JsonObject; readonly text: string }): JSX.Element | null {
  const { max_length: max } = props.element;
  const { length } = props.text;
  if (typeof max !== "number" || length < max * counterFrom) return null;
  return h("div", { class: length > max ? "counter over" : "counter" }, `${length} / ${max}`);
}

/** Text fields: https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
export function TextField(props: ElementProps): JSX.Element {
  const { element } = props;
  const { value, hold, send, isBusy, extras } = useElement(props);
  const text = textOf(value);
  const onInput = (event: Event): void => {
    const field = event.currentTarget;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    hold(field.value);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey) send(value);
  };
  const shared = { ...fieldAttributes(props), onInput, onKeyDown, class: "field", value: text, "aria-busy": isBusy };
  const number = {
    type: "number",
    inputMode: "decimal",
    min: textOf(element["min_value"]) || undefined,
    max: textOf(element["max_value"]) || undefined,
    step: element["is_decimal_allowed"] === true ? "any" : 1,
  } as const; // the literal types of an input
  const field =
    element["multiline"] === true
      ? h("textarea", { ...shared, rows: 4 })
      : h("input", { ...shared, ...(element["type"] === "number_input" ? number : { type: "text" }) });
  return h("div", { class: "element typed" }, field, h(Counter, { element, text }), extras);
}

// Browsers fire a change for each typed digit of a date: the bot gets one action when the person pauses or leaves.
const datePause = 700;

/** A datepicker as a native field. */
export function DateField(props: ElementProps): JSX.Element {
  const { value, hold, pick, isBusy, extras } = useElement(props);
  const pending = useRef<Json>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const send = (): void => {
    clearTimeout(timer.current);
    const { current } = pending;
    pending.current = undefined;
    if (current !== undefined) pick(current);
  };
  const onChange = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLInputElement)) return;
    const text = event.currentTarget.value;
    // A partly typed year: 0002, 0020 …
    if (/^0\d{3}-/.test(text)) return;
    pending.current = text;
    if (props.block["type"] === "input") hold(pending.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(send, datePause);
  };
  const field = h("input", {
    ...fieldAttributes(props),
    class: "field date",
    type: "date",
    value: textOf(value),
    "aria-busy": isBusy,
    onChange,
    onBlur: send,
  });
  return h("span", { class: "element" }, field, extras);
}

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
  const now = [value].flat().map((option) => (isObject(option) ? textOf(option["value"]) : ""));
  const isWrong = fieldAttributes(props)["aria-invalid"] === true;
  const change = (option: JsonObject, isChosen: boolean): void => {
    if (!isMany) return pick(option);
    const others = options.filter((each) => now.includes(textOf(each["value"])) && each !== option);
    // In the order of the options, as Slack sends them.
    pick(options.filter((each) => others.includes(each) || (isChosen && each === option)));
  };
  return h(
    "div",
    {
      class: "choices element column",
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
