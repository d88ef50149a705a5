import type { OptionGroup, PlainTextOption } from "@slack/types";
import { limits } from "../kit/blocks.ts";
import { NONE, option, optionsOf, type OptionInput } from "./option.ts";
import { plain } from "../kit/plain.ts";

/** The answer to block_suggestion: https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select */
export type Suggestion = { readonly option_groups: OptionGroup[] } | { readonly options: PlainTextOption[] };

export type Group = { readonly label: string; readonly items: readonly OptionInput[] };

export type SuggestionInput = {
  readonly groups: readonly Group[];
  /** What was typed so far. */
  readonly query: string;
  /** What was typed as an option of its own; undefined where it is among them, or cannot be chosen. */
  readonly typed?: OptionInput | undefined;
  /** Why something is missing: a complete sentence. */
  readonly problem?: string | undefined;
};

/** What is found for what was typed, best first, each group with its fair share; last what was typed, as it is. */
export function suggestion({ groups, query, typed, problem }: SuggestionInput): Suggestion {
  const found = groups.map(({ label, items }) => ({ label, items: ranked(items, query) }));
  const last = lastGroup(typed && option(typed), problem);
  const all = [...shares(found, limits.options - last.length), ...last];
  return all.length === 0 ? { options: [] } : { option_groups: all };
}

function lastGroup(typed: PlainTextOption | undefined, problem: string | undefined): OptionGroup[] {
  if (typed !== undefined) return [{ label: plain(problem ?? "Not listed", limits.groupLabel), options: [typed] }];
  if (problem === undefined) return [];
  const said = { text: plain(problem, limits.optionText), value: NONE };
  return [{ label: plain("About this list", limits.groupLabel), options: [said] }];
}

/** What was typed, to be chosen as it is; undefined where it is one of the items, by value or by text. */
export function asTyped(query: string, groups: readonly Group[]): OptionInput | undefined {
  const typed = query.trim();
  const isAmong = groups.some(({ items }) => items.some(({ value, text }) => value === typed || text === typed));
  return typed === "" || isAmong ? undefined : { value: typed, text: `Use “${typed}” as typed` };
}

/** Those that begin with what was typed, then those that hold it; as they were given in between. */
function ranked(items: readonly OptionInput[], query: string): OptionInput[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [...items];
  const [begin, hold]: [OptionInput[], OptionInput[]] = [[], []];
  for (const item of items) {
    const at = item.text.toLowerCase().indexOf(wanted);
    if (at === 0) begin.push(item);
    else if (at > 0) hold.push(item);
  }
  return [...begin, ...hold];
}

/** As many of each group as there is room for: what small ones leave is shared by the large ones. */
function shares(groups: readonly { label: string; items: readonly OptionInput[] }[], max: number): OptionGroup[] {
  const bySize = groups.map(({ items }, at) => ({ at, size: items.length })).sort((a, b) => a.size - b.size);
  const share = new Map<number, number>();
  let room = max;
  for (const [index, { at, size }] of bySize.entries()) {
    const fair = Math.min(size, Math.floor(room / (bySize.length - index)));
    share.set(at, fair);
    room -= fair;
  }
  return groups.flatMap(({ label, items }, at) => {
    const options = optionsOf(items, share.get(at) ?? 0);
    return options.length === 0 ? [] : [{ label: plain(label, limits.groupLabel), options }];
  });
}
