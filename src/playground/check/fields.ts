import { isObject } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { element, focuses, picks, typed } from "./element.ts";
import { richText } from "./rich-text.ts";
import { all, anyString, type Check, flag, list, may, must, pattern, report, someString, whole } from "./shape.ts";

function checkBounds(low: string, high: string): Check {
  return (value, at, site) => {
    if (!isObject(value)) return;
    const [from, to] = [Number(value[low] ?? Number.NaN), Number(value[high] ?? Number.NaN)];
    if (from > to) report(site, "input.range", [at, `${low} must not be above ${high}`]);
  };
}

const { max } = limits["input.max-length"];
const number = pattern(/^-?\d+(\.\d+)?$/, '"12" or "1.5"');

export const pickers = {
  datepicker: element("datepicker", { ...picks, initial_date: may(pattern(/^\d{4}-\d\d-\d\d$/, "2026-11-20")) }),
  timepicker: element("timepicker", {
    ...picks,
    initial_time: may(pattern(/^\d\d:\d\d$/, "23:59")),
    timezone: may(someString),
  }),
};

export const datetimepicker: Check = element("datetimepicker", {
  ...focuses,
  initial_date_time: may(whole(1_000_000_000, 9_999_999_999)),
});

export const richTextInput: Check = element("rich_text_input", { ...typed, initial_value: may(richText) });

const fileInput: Check = all(
  element("file_input", {
    action_id: typed.action_id,
    filetypes: may(list(someString)),
    max_files: may(whole(1, limits["file-input.files"].max, "file-input.files")),
  }),
  (_value, at, site) => {
    if (site.surface !== "modal") report(site, "element.surface", [`${at}/type`, "file_input is only for modals"]);
  },
);

/** Text inputs, allowed in input blocks only. */
export const fields = {
  plain_text_input: all(
    element("plain_text_input", {
      ...typed,
      initial_value: may(anyString),
      multiline: may(flag),
      min_length: may(whole(0, max)),
      max_length: may(whole(1, max, "input.max-length")),
    }),
    checkBounds("min_length", "max_length"),
  ),
  number_input: all(
    element("number_input", {
      ...typed,
      is_decimal_allowed: must(flag),
      initial_value: may(number),
      min_value: may(number),
      max_value: may(number),
    }),
    checkBounds("min_value", "max_value"),
  ),
  file_input: fileInput,
  email_text_input: element("email_text_input", { ...typed, initial_value: may(anyString) }),
  url_text_input: element("url_text_input", { ...typed, initial_value: may(anyString) }),
};
