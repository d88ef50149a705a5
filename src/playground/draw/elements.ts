import { type JsonObject, objectOf, objectsOf, textOf } from "../json.ts";
import type { Pen } from "./pen.ts";

function label(element: JsonObject): string {
  return textOf(objectOf(element["text"])["text"]);
}

function optionText(option: JsonObject): string {
  return label(option);
}

function drawOverflow(element: JsonObject): string {
  return `[… ${objectsOf(element["options"]).map(optionText).join(" | ")}]`;
}

function drawChoices(element: JsonObject): string {
  const chosen = [objectOf(element["initial_option"]), ...objectsOf(element["initial_options"])].map(optionText);
  const mark = (option: JsonObject): string => (chosen.includes(optionText(option)) ? "x" : " ");
  return objectsOf(element["options"])
    .map((option) => `(${mark(option)}) ${optionText(option)}`)
    .join(" ");
}

function drawMenu(element: JsonObject): string {
  const chosen = [objectOf(element["initial_option"]), ...objectsOf(element["initial_options"])].map(optionText);
  const names = chosen.filter((each) => each !== "").join(", ");
  const placeholder = textOf(objectOf(element["placeholder"])["text"]);
  return `[${names || placeholder || textOf(element["type"])} ▾]`;
}

/** An empty field shows its placeholder beside it, where nobody takes it for a value. */
function drawField(element: JsonObject): string {
  const first = ["initial_value", "initial_date", "initial_time"]
    .map((name) => textOf(element[name]))
    .find((each) => each !== "");
  if (first !== undefined) return `[${first}]`;
  const placeholder = textOf(objectOf(element["placeholder"])["text"]);
  return placeholder === "" ? "[          ]" : `[          ] ${placeholder}`;
}

const kinds: Readonly<Record<string, (element: JsonObject) => string>> = {
  button: (element) => `[${label(element)}]`,
  overflow: drawOverflow,
  checkboxes: drawChoices,
  radio_buttons: drawChoices,
  image: (element) => `[image: ${textOf(element["alt_text"])}]`,
  plain_text_input: drawField,
  number_input: drawField,
  email_text_input: drawField,
  url_text_input: drawField,
  datepicker: drawField,
  timepicker: drawField,
};

/** An element as text: [Next], [Pick one ▾], [… Stop | Delete]. */
export function drawElement(pen: Pen, element: JsonObject): string {
  const url = textOf(element["url"]);
  if (url !== "") pen.links.push(url);
  const type = textOf(element["type"]);
  if (type.endsWith("_select")) return drawMenu(element);
  return kinds[type]?.(element) ?? `[not drawn here: ${type}]`;
}
