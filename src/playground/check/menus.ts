import { element, focuses, acts, picks } from "./element.ts";
import {
  anyOption,
  initialAmongOptions,
  oneSource,
  optionGroups,
  options,
  overflowOption,
  plainOption,
} from "./options.ts";
import {
  all,
  type Check,
  flag,
  list,
  may,
  must,
  object,
  type Property,
  report,
  someString,
  whole,
  word,
} from "./shape.ts";

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
export const menus: Readonly<Record<string, Check>> = {
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

export const overflow: Check = element("overflow", {
  ...acts,
  options: must(list(overflowOption, "overflow.options")),
});
