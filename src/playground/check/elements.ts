import type { InlineType, RichPartType, TypedType, ValueType } from "../block-kit.ts";
import { isList, isObject, objectsOf } from "../json.ts";
import { type LimitId, limits } from "../rules/limits.ts";
import {
  all,
  anyString,
  byType,
  type Check,
  flag,
  list,
  may,
  must,
  object,
  pattern,
  type Property,
  report,
  someString,
  text,
  url,
  whole,
  word,
} from "./shape.ts";
import { isDeepStrictEqual } from "node:util";

/** https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
export function plain(limit: LimitId): Check {
  return object({ type: must(word("plain_text")), text: must(text(limit)), emoji: may(flag) });
}

export function plainOrMrkdwn(limit: LimitId): Check {
  const mrkdwn = object({ type: must(word("mrkdwn")), text: must(text(limit)), verbatim: may(flag) });
  const other = plain(limit);
  return (value, at, site) => (isObject(value) && value["type"] === "mrkdwn" ? mrkdwn : other)(value, at, site);
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
const option: Check = object({
  text: must(plain("option.text")),
  value: must(text("option.value")),
  description: may(plain("option.description")),
});

/** initial_option and initial_options must equal one of the options. */
const initialAmongOptions: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const one = value["initial_option"];
  const many = value["initial_options"];
  const initial = [...(one === undefined ? [] : [one]), ...(isList(many) ? many : [])];
  const offered = objectsOf(value["options"]);
  for (const each of initial) {
    if (!offered.some((option) => isDeepStrictEqual(option, each))) {
      report(site, "option.initial", [at, "initial option does not match any of the options"]);
    }
  }
};

const group = object({ label: must(plain("group.label")), options: must(list(option, "group.options")) });

// An empty list is valid: nothing matches.
const suggestedOptions: Check = (value, at, site) => {
  if (!isList(value) || value.length > 0) list(option, "select.options")(value, at, site);
};

/** The answer to block_suggestion: options like those of a static select, possibly none, or groups of them. */
export const suggestion: Check = all(
  object({ options: may(suggestedOptions), option_groups: may(list(group, "select.groups")) }),
  (value, at, site) => {
    if (!isObject(value)) return;
    const sources = [value["options"], value["option_groups"]].filter((source) => source !== undefined);
    if (sources.length !== 1) report(site, "select.source", [at, "exactly one of options, option_groups is needed"]);
  },
);

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

const words = object({
  type: must(word("text")),
  text: must(someString),
  style: may(object({ bold: may(flag), code: may(flag) })),
});

const inline: Check = byType({
  text: words,
  link: object({ type: must(word("link")), url: must(url), text: may(someString) }),
  user: object({ type: must(word("user")), user_id: must(someString) }),
  channel: object({ type: must(word("channel")), channel_id: must(someString) }),
  usergroup: object({ type: must(word("usergroup")), usergroup_id: must(someString) }),
  date: object({
    type: must(word("date")),
    timestamp: must(whole(0, Number.MAX_SAFE_INTEGER)),
    format: must(someString),
    fallback: may(someString),
  }),
} satisfies Record<InlineType, Check>);

const section = object({ type: must(word("rich_text_section")), elements: must(list(inline)) });

export const richTextParts: Check = list(
  byType({
    rich_text_section: section,
    rich_text_list: object({
      type: must(word("rich_text_list")),
      style: must(word("bullet")),
      elements: must(list(section)),
    }),
    rich_text_preformatted: object({ type: must(word("rich_text_preformatted")), elements: must(list(words)) }),
  } satisfies Record<RichPartType, Check>),
);

// Properties that elements share: https://docs.slack.dev/reference/block-kit/block-elements

const actionId: Check = all(text("action.id"), (value, at, site) => {
  if (typeof value !== "string") return;
  if (site.actionIds.has(value)) report(site, "action.id-unique", [at, `duplicate action_id: ${value}`]);
  site.actionIds.add(value);
});

const focus: Check = all(flag, (value, at, site) => {
  if (value !== true) return;
  site.totals.focused += 1;
  if (site.totals.focused > 1) report(site, "view.focus", [at, "only one element may have focus_on_load"]);
});

/** Elements with a click. */
const acts = { action_id: may(actionId) };
/** Elements that can take the focus. */
const focuses = { ...acts, focus_on_load: may(focus) };
/** Menus and fields, which have a placeholder. */
const holds = { ...focuses, placeholder: may(plain("placeholder.text")) };

function element(type: string, properties: Readonly<Record<string, Property>>): Check {
  return object({ type: must(word(type)), ...properties });
}

/** Text inputs, allowed in input blocks only. */
const fields = {
  plain_text_input: element("plain_text_input", {
    ...holds,
    initial_value: may(anyString),
    multiline: may(flag),
    max_length: may(whole(1, limits["input.max-length"].max, "input.max-length")),
  }),
  number_input: numberInput(),
} satisfies Record<TypedType, Check>;

function numberInput(): Check {
  const number = pattern(/^-?\d+(\.\d+)?$/, '"12" or "1.5"');
  return all(
    element("number_input", {
      ...holds,
      is_decimal_allowed: must(flag),
      initial_value: may(number),
      min_value: may(number),
      max_value: may(number),
    }),
    (value, at, site) => {
      if (!isObject(value)) return;
      if (Number(value["min_value"] ?? Number.NaN) > Number(value["max_value"] ?? Number.NaN)) {
        report(site, "input.range", [at, "min_value must not be above max_value"]);
      }
    },
  );
}

function choice(
  type: string,
  limit: "checkboxes.options" | "radio.options" | "select.options",
  initial: Readonly<Record<string, Property>>,
): Check {
  return all(element(type, { options: must(list(option, limit)), ...initial }), initialAmongOptions);
}

// Direct conversations are never asked for: the page lists none.
const filter = object({ include: must(list(word("private", "public"))), exclude_bot_users: may(flag) });

/** Menus and other elements with choices: https://docs.slack.dev/reference/block-kit/block-elements */
const menus = {
  static_select: choice("static_select", "select.options", { ...holds, initial_option: may(option) }),
  multi_static_select: choice("multi_static_select", "select.options", {
    ...holds,
    initial_options: may(list(option)),
  }),
  checkboxes: choice("checkboxes", "checkboxes.options", { ...focuses, initial_options: may(list(option)) }),
  radio_buttons: choice("radio_buttons", "radio.options", { ...focuses, initial_option: may(option) }),
  external_select: element("external_select", {
    ...holds,
    initial_option: may(option),
    min_query_length: may(whole(0, 1000)),
  }),
  users_select: element("users_select", { ...holds, initial_user: may(someString) }),
  conversations_select: element("conversations_select", {
    ...holds,
    initial_conversation: may(someString),
    default_to_current_conversation: may(flag),
    filter: must(filter),
  }),
  datepicker: element("datepicker", { ...holds, initial_date: may(pattern(/^\d{4}-\d\d-\d\d$/, "2026-11-20")) }),
} satisfies Record<Exclude<ValueType, TypedType>, Check>;

const clickable = {
  button: element("button", {
    ...acts,
    text: must(plain("button.text")),
    value: may(text("button.value")),
    url: may(all(text("button.url"), url)),
    style: may(word("primary", "danger")),
  }),
  overflow: element("overflow", { ...acts, options: must(list(option, "overflow.options")) }),
};

// Elements allowed in each block: https://docs.slack.dev/reference/block-kit/block-elements

/** In an actions block, or beside a section. */
export const action: Check = byType({ ...clickable, ...menus }, Object.keys(fields));
/** In an input block. */
export const input: Check = byType({ ...menus, ...fields }, Object.keys(clickable));
