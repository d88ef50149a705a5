import type { StaticSelect } from "@slack/types";
import { limits } from "./blocks.ts";
import { optionsOf, type OptionInput } from "../forms/option.ts";
import { plain } from "./plain.ts";

export type Menu = {
  /** What choosing does: `home:region`. */
  readonly act: string;
  readonly placeholder: string;
  readonly options: readonly OptionInput[];
  /** The value that stands in it. */
  readonly chosen?: string | undefined;
};

/** A menu of options that are known; undefined where there are none. */
export function menu({ act, placeholder, options, chosen }: Menu): StaticSelect | undefined {
  const all = optionsOf(options);
  if (all.length === 0) return undefined;
  const initial = all.find(({ value }) => value === chosen);
  return {
    type: "static_select",
    action_id: act,
    placeholder: plain(placeholder, limits.placeholder),
    options: all,
    ...(initial !== undefined && { initial_option: initial }),
  };
}
