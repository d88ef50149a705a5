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
import {
  anyOption,
  confirm,
  initialAmongOptions,
  oneSource,
  optionGroups,
  options,
  overflowOption,
  plain,
  plainOption,
} from "./composition-objects.ts";
import { isObject } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { richText } from "./rich-text.ts";

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

const triggers = object({ trigger_actions_on: may(list(word("on_enter_pressed", "on_character_entered"))) });

/** Elements with a click. */
export const acts = { action_id: may(actionId), confirm: may(confirm) };
/** Clickable elements that can take the focus. */
const focuses = { ...acts, focus_on_load: may(focus) };
/** Menus, which have a placeholder. */
const picks = { ...focuses, placeholder: may(plain("placeholder.text")) };
/** Text fields. */
const typed = {
  action_id: may(actionId),
  focus_on_load: may(focus),
  placeholder: may(plain("placeholder.text")),
  dispatch_action_config: may(triggers),
};

export function element(type: string, properties: Readonly<Record<string, Property>>): Check {
  return object({ type: must(word(type)), ...properties });
}

// Images

const imageUrls = {
  image_url: may(all(text("image.url"), url)),
  slack_file: may(object({ url: may(someString), id: may(someString) })),
  alt_text: must(text("image.alt")),
};

const oneImage: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const sources = [value["image_url"], value["slack_file"]].filter((each) => each !== undefined);
  if (sources.length !== 1) report(site, "image.source", [at, "exactly one of image_url, slack_file is needed"]);
};

/** https://docs.slack.dev/reference/block-kit/block-elements/image-element */
export const imageElement: Check = all(object({ type: must(word("image")), ...imageUrls }), oneImage);

/** https://docs.slack.dev/reference/block-kit/blocks/image-block, without its block_id */
export const imageBlock = { ...imageUrls, title: may(plain("image.title")) };
export const imageSource: Check = oneImage;

// Fields

function checkBounds(low: string, high: string): Check {
  return (value, at, site) => {
    if (!isObject(value)) return;
    const [from, to] = [Number(value[low] ?? Number.NaN), Number(value[high] ?? Number.NaN)];
    if (from > to) report(site, "input.range", [at, `${low} must not be above ${high}`]);
  };
}

const { max } = limits["input.max-length"];
const number = pattern(/^-?\d+(\.\d+)?$/, '"12" or "1.5"');

const pickers = {
  datepicker: element("datepicker", { ...picks, initial_date: may(pattern(/^\d{4}-\d\d-\d\d$/, "2026-11-20")) }),
  timepicker: element("timepicker", {
    ...picks,
    initial_time: may(pattern(/^\d\d:\d\d$/, "23:59")),
    timezone: may(someString),
  }),
};

const datetimepicker: Check = element("datetimepicker", {
  ...focuses,
  initial_date_time: may(whole(1_000_000_000, 9_999_999_999)),
});

const richTextInput: Check = element("rich_text_input", { ...typed, initial_value: may(richText) });

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
const fields = {
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

// Menus

const several = may(whole(1, 1000));
const names = may(list(someString));

function menu(type: string, properties: Readonly<Record<string, Property>>): Record<string, Check> {
  return { [type]: element(type, { ...picks, ...properties }) };
}

function staticMenu(type: string, initial: Readonly<Record<string, Property>>): Record<string, Check> {
  const source = { options: may(options("select.options")), option_groups: may(optionGroups) };
  return { [type]: all(element(type, { ...picks, ...source, ...initial }), oneSource, initialAmongOptions) };
}

const conversations = {
  default_to_current_conversation: may(flag),
  filter: may(
    object({
      include: may(list(word("im", "mpim", "private", "public"))),
      exclude_external_shared_channels: may(flag),
      exclude_bot_users: may(flag),
    }),
  ),
};
/** The response_url of a chosen conversation is sent with view_submission only. */
const answered: Check = all(flag, (value, at, site) => {
  if (value === true && !(site.surface === "modal" && site.blockType === "input")) {
    report(site, "select.response-url-input", [at, "only in an input block of a modal"]);
  }
});
const answers = { response_url_enabled: may(answered) };
const queries = { min_query_length: may(whole(0, 1000)) };

/** Menus and other elements with options: https://docs.slack.dev/reference/block-kit/block-elements */
const menus: Readonly<Record<string, Check>> = {
  ...staticMenu("static_select", { initial_option: may(plainOption) }),
  ...staticMenu("multi_static_select", { initial_options: may(list(plainOption)), max_selected_items: several }),
  ...menu("external_select", { initial_option: may(plainOption), ...queries }),
  ...menu("multi_external_select", {
    initial_options: may(list(plainOption)),
    max_selected_items: several,
    ...queries,
  }),
  ...menu("users_select", { initial_user: may(someString) }),
  ...menu("multi_users_select", { initial_users: names, max_selected_items: several }),
  ...menu("channels_select", { initial_channel: may(someString), ...answers }),
  ...menu("multi_channels_select", { initial_channels: names, max_selected_items: several }),
  ...menu("conversations_select", { initial_conversation: may(someString), ...conversations, ...answers }),
  ...menu("multi_conversations_select", {
    initial_conversations: names,
    ...conversations,
    max_selected_items: several,
  }),
  checkboxes: all(
    element("checkboxes", {
      ...focuses,
      options: must(list(anyOption, "checkboxes.options")),
      initial_options: may(list(anyOption)),
    }),
    initialAmongOptions,
  ),
  radio_buttons: all(
    element("radio_buttons", {
      ...focuses,
      options: must(list(anyOption, "radio.options")),
      initial_option: may(anyOption),
    }),
    initialAmongOptions,
  ),
};

const overflow: Check = element("overflow", {
  ...acts,
  options: must(list(overflowOption, "overflow.options")),
});

// Elements allowed in each block: https://docs.slack.dev/reference/block-kit/block-elements

export const button: Check = element("button", {
  ...acts,
  text: must(plain("button.text")),
  value: may(text("button.value")),
  url: may(all(text("button.url"), url)),
  style: may(word("primary", "danger")),
  accessibility_label: may(text("button.label")),
});

const rich = { rich_text_input: richTextInput };

/** The accessory of a section. */
export const accessory: Check = byType(
  { button, overflow, image: imageElement, ...menus, ...pickers },
  "element.block",
);
/** In an actions block. */
export const action: Check = byType(
  { button, overflow, ...menus, ...pickers, datetimepicker, ...rich },
  "element.block",
);
/** In an input block. */
export const input: Check = byType({ ...menus, ...pickers, datetimepicker, ...fields, ...rich }, "element.block");
