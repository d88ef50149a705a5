import type { OptionGroup, PlainTextOption } from "@slack/types";
import { pathSafe } from "../../../api/request-limits.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { shortSpan } from "../kit/time.ts";
import { beforeRequester } from "../kit/request-words.ts";
import { limits, type OptionInput, NONE, option, optionsOf } from "../kit/blocks.ts";
import { counted, plain } from "../kit/text.ts";
import type { RecentList } from "../../commands/lookup/directory.ts";

/** A list older than this shows its age. */
const NEW_MS = 60_000;

export type WorkloadOptions = {
  /** Undefined when not requested or unknown. */
  readonly services?: RecentList | undefined;
  readonly jobs?: RecentList | undefined;
  /** The region of the services. */
  readonly region?: string;
  /** The text typed so far. */
  readonly query: string;
  /** Complete sentences: why the list is incomplete or old. */
  readonly problems: readonly string[];
  readonly now?: Date;
};

/** Options such as `service/web` and `job/report`, and the typed text itself; at most 100. Pure. */
export function workloadOptions({ services, jobs, region, query, problems, now }: WorkloadOptions): Suggestion {
  // `job/report` restricts the kind; anything else is a part of a name.
  const [, prefix, name = query.trim()] = /^(service|job)\/(.*)$/isu.exec(query.trim()) ?? [];
  const kind = prefix?.toLowerCase();
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
    problem: [...tooLong(groups, name), ...problems].join(" ") || undefined,
  });
}

/** An option has little room, and Kubernetes allows names of 253 characters. */
function tooLong(groups: readonly Group[], query: string): readonly string[] {
  const wanted = query.toLowerCase();
  const all = groups.flatMap(({ items }) => items);
  const long = all.filter(
    ({ value, text }) => value.length > limits.optionValue && text.toLowerCase().includes(wanted),
  );
  if (long.length === 0) return [];
  return [`${counted(long.length, "name is", "names are")} too long for this menu: type a command.`];
}

function old({ at }: RecentList, now: Date | undefined): string {
  const ms = now === undefined ? 0 : now.getTime() - at;
  return ms > NEW_MS ? `, ${shortSpan(ms)} ago` : "";
}

function group(kind: "service" | "job", label: string, { entries }: RecentList): Group {
  const items = entries.map(({ name, status }) => ({ value: `${kind}/${name}`, text: name, description: status }));
  return { label, items: items.sort((one, other) => (one.text < other.text ? -1 : Number(one.text > other.text))) };
}

/** The given instances; others can be typed. */
export function instanceOptions({ query, names }: { readonly query: string; readonly names: readonly string[] }) {
  const groups = [plainGroup("Instances", names)];
  return suggestion({ groups, query, typed: asTyped(query, groups) });
}

/** The known regions; others can be typed. */
export function regionOptions({ query, regions }: { readonly query: string; readonly regions: readonly string[] }) {
  const groups = [plainGroup("Known regions", regions)];
  return suggestion({ groups, query, typed: pathSafe(query.trim()) ? asTyped(query, groups) : undefined });
}

function plainGroup(label: string, names: readonly string[]): Group {
  return { label, items: names.map((name) => ({ value: name, text: name })) };
}

type ChangeOptions = { readonly query: string; readonly changes: readonly StoredChange[] };

/** Changes that wait for approval, found by their id and action. */
export function changeOptions({ query, changes }: ChangeOptions): Suggestion {
  const items = changes.map((change) => ({
    value: change.id,
    text: `${change.id} ${change.verb} ${change.workload.kind} ${change.workload.name}`,
    description: `${beforeRequester(change)}${change.requester.name}`,
  }));
  const problem = changes.length === 0 ? "Nothing is waiting for approval." : undefined;
  return suggestion({ groups: [{ label: "Waiting requests", items }], query, problem });
}

/** The answer to block_suggestion: https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select */
export type Suggestion = { readonly option_groups: OptionGroup[] } | { readonly options: PlainTextOption[] };

export type Group = { readonly label: string; readonly items: readonly OptionInput[] };

export type SuggestionInput = {
  readonly groups: readonly Group[];
  /** The text typed so far. */
  readonly query: string;
  /** The typed text as an option; undefined when it is already listed or can't be chosen. */
  readonly typed?: OptionInput | undefined;
  /** A complete sentence: why something is missing. */
  readonly problem?: string | undefined;
};

/** Matches for the typed text, best first, with a fair share for each group; the typed text itself comes last. */
export function suggestion({ groups, query, typed, problem }: SuggestionInput): Suggestion {
  const found = groups.map(({ label, items }) => ({ label, items: ranked(items, query) }));
  const last = lastGroup(typed && option(typed), problem);
  const all = [...shares(found, limits.options - last.length), ...last];
  return all.length === 0 ? { options: [] } : { option_groups: all };
}

function lastGroup(typed: PlainTextOption | undefined, problem: string | undefined): OptionGroup[] {
  if (typed !== undefined) return [{ label: plain(problem ?? "Not listed", limits.groupLabel), options: [typed] }];
  if (problem === undefined) return [];
  const reason = { text: plain(problem, limits.optionText), value: NONE };
  return [{ label: plain("About this list", limits.groupLabel), options: [reason] }];
}

/** The typed text as an option; undefined when an item has this value or text. */
export function asTyped(query: string, groups: readonly Group[]): OptionInput | undefined {
  const typed = query.trim();
  const isAmong = groups.some(({ items }) => items.some(({ value, text }) => value === typed || text === typed));
  return typed === "" || isAmong ? undefined : { value: typed, text: `Use “${typed}” as typed` };
}

/** Items that start with the typed text, then items that contain it. */
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

/** Divides the room fairly: large groups share what small ones leave. */
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
