import { isDeepStrictEqual } from "node:util";
import { isList, isObject, objectsOf } from "../json.ts";
import type { LimitId } from "../rules/limits.ts";
import { all, type Check, flag, list, may, must, object, report, text, word } from "./shape.ts";

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
export const option: Check = object({
  text: must(plain("option.text")),
  value: must(text("option.value")),
  description: may(plain("option.description")),
});

/** initial_option and initial_options must equal one of the options. */
export const initialAmongOptions: Check = (value, at, site) => {
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
