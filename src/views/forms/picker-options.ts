import { pathSafe } from "../../api/names.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Lately } from "../../commands/lookup/directory.ts";
import { type OptionInput, NONE, option, optionsOf } from "../kit/menu.ts";
import { span } from "../kit/time.ts";
import type { OptionGroup, PlainTextOption } from "@slack/types";
import { limits } from "../kit/blocks.ts";
import { plain } from "../kit/text.ts";

/** More often than this a list is read anew; one that is older says so. */
const NEW_MS = 60_000;

export type WorkloadOptions = {
  /** Undefined: not asked for, or nothing is known of them. */
  readonly services?: Lately | undefined;
  readonly jobs?: Lately | undefined;
  /** Of the services. */
  readonly region?: string;
  /** What was typed so far. */
  readonly query: string;
  /** Why something is missing or old: complete sentences. */
  readonly problems: readonly string[];
  /** What the age of a list is counted to. */
  readonly now?: Date;
};

/** Live names for a picker, `service/web` and `job/report`, and what was typed itself. At most 100 options. Pure. */
export function workloadOptions({ services, jobs, region, query, problems, now }: WorkloadOptions): Suggestion {
  const { kind, name } = parsedQuery(query.trim());
  const where = region === undefined ? "Services" : `Services in ${region}`;
  const groups = [
    ...(services === undefined || kind === "job" ? [] : [group("service", `${where}${old(services, now)}`, services)]),
    ...(jobs === undefined || kind === "service" ? [] : [group("job", `Jobs${old(jobs, now)}`, jobs)]),
  ];
  const isPossible = pathSafe(name) && asTyped(name, groups) !== undefined;
  return suggestion({
    groups,
    query: name,
    typed: isPossible ? asTyped(query, groups) : undefined,
    problem: problems.length === 0 ? undefined : problems.join(" "),
  });
}

function old({ at }: Lately, now: Date | undefined): string {
  const ms = now === undefined ? 0 : now.getTime() - at;
  return ms > NEW_MS ? `, ${span(ms)} ago` : "";
}

/** `job/report` asks for a job; everything else is a part of a name. */
function parsedQuery(query: string): { readonly kind: "service" | "job" | undefined; readonly name: string } {
  const [, kind, name = query] = /^(service|job)\/(.*)$/isu.exec(query) ?? [];
  const wanted = kind?.toLowerCase();
  return { kind: wanted === "service" || wanted === "job" ? wanted : undefined, name };
}

function group(kind: "service" | "job", label: string, { entries }: Lately): Group {
  const items = entries.map(({ name, status }) => ({ value: `${kind}/${name}`, text: name, description: status }));
  return { label, items: items.sort(byText) };
}

function byText(one: OptionInput, other: OptionInput): number {
  return one.text < other.text ? -1 : Number(one.text > other.text);
}

/** The instances of a job, in the order given; any other can be typed. */
export function instanceOptions({ query, names }: { readonly query: string; readonly names: readonly string[] }) {
  const groups = [plainGroup("Instances", names)];
  return suggestion({ groups, query, typed: asTyped(query, groups) });
}

/** The regions that are known; any other can be typed. */
export function regionOptions({ query, regions }: { readonly query: string; readonly regions: readonly string[] }) {
  const groups = [plainGroup("Known regions", regions)];
  return suggestion({ groups, query, typed: pathSafe(query.trim()) ? asTyped(query, groups) : undefined });
}

function plainGroup(label: string, names: readonly string[]): Group {
  return { label, items: names.map((name) => ({ value: name, text: name })) };
}

type ChangeOptions = { readonly query: string; readonly changes: readonly StoredChange[] };

/** Changes that wait for votes, in the order given; found by their id and by what they do. */
export function changeOptions({ query, changes }: ChangeOptions): Suggestion {
  const items = changes.map(({ id, verb, workload: { kind, name }, requester }) => ({
    value: id,
    text: `${id} ${verb} ${kind} ${name}`,
    description: `asked by ${requester.name}`,
  }));
  const problem = changes.length === 0 ? "Nothing waits for approval." : undefined;
  return suggestion({ groups: [{ label: "Changes that wait", items }], query, problem });
}

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
