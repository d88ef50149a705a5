import { isDeepStrictEqual } from "node:util";
import type { LimitId } from "../rules/limits.ts";
import { all, byType, type Check, flag, list, may, must, object, report, text, url, word } from "./shape.ts";
import { isList, isObject, objectsOf } from "../json.ts";

/** https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
function plainObject(limit: LimitId): Check {
  return object({ type: must(word("plain_text")), text: must(text(limit)), emoji: may(flag) });
}

export function plain(limit: LimitId): Check {
  return byType({ plain_text: plainObject(limit) }, "object.value");
}

export function plainOrMrkdwn(limit: LimitId): Check {
  const mrkdwn = object({ type: must(word("mrkdwn")), text: must(text(limit)), verbatim: may(flag) });
  return byType({ plain_text: plainObject(limit), mrkdwn }, "object.value");
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
export const confirm: Check = object({
  title: may(plain("confirm.title")),
  text: must(plainOrMrkdwn("confirm.text")),
  confirm: may(plain("confirm.button")),
  deny: may(plain("confirm.button")),
  style: may(word("primary", "danger")),
});

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
const shared = { value: must(text("option.value")), description: may(plain("option.description")) };
export const plainOption: Check = object({ text: must(plain("option.text")), ...shared });
export const anyOption: Check = object({
  text: must(plainOrMrkdwn("option.text")),
  value: shared.value,
  description: may(plainOrMrkdwn("option.description")),
});
export const overflowOption: Check = object({
  text: must(plain("option.text")),
  ...shared,
  url: may(all(text("option.url"), url)),
});

export const options = (limit: LimitId): Check => list(plainOption, limit);

export const optionGroups: Check = list(
  object({ label: must(plain("group.label")), options: must(options("group.options")) }),
  "select.groups",
);

/** initial_option and initial_options must equal one of the options. */
export const initialAmongOptions: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const one = value["initial_option"];
  const many = value["initial_options"];
  const initial = [...(one === undefined ? [] : [one]), ...(isList(many) ? many : [])];
  const grouped = objectsOf(value["option_groups"]).flatMap((group) => objectsOf(group["options"]));
  const offered = [...objectsOf(value["options"]), ...grouped];
  for (const option of initial) {
    if (!offered.some((each) => isDeepStrictEqual(each, option))) {
      report(site, "option.initial", [at, "initial option does not match any of the options"]);
    }
  }
};

/** A static select has options or option_groups. */
export const oneSource: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const sources = [value["options"], value["option_groups"]].filter((source) => source !== undefined);
  if (sources.length !== 1) report(site, "select.source", [at, "exactly one of options, option_groups is needed"]);
};

// An empty list is valid: nothing matches.
const suggestedOptions: Check = (value, at, site) => {
  if (!isList(value) || value.length > 0) options("select.options")(value, at, site);
};

/** The answer to block_suggestion: options like those of a static select, possibly none. */
export const suggestion: Check = all(
  object({ options: may(suggestedOptions), option_groups: may(optionGroups) }),
  oneSource,
);
