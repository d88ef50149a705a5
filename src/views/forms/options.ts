import { pathSafe } from "../../api/names.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { RecentList } from "../../commands/lookup/directory.ts";
import type { OptionInput } from "./option.ts";
import { asTyped, suggestion, type Group, type Suggestion } from "./suggestion.ts";
import { span } from "../kit/time.ts";

/** More often than this a list is read anew; one that is older says so. */
const NEW_MS = 60_000;

export type WorkloadOptions = {
  /** Undefined: not asked for, or nothing is known of them. */
  readonly services?: RecentList | undefined;
  readonly jobs?: RecentList | undefined;
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
  const { kind, name } = meant(query.trim());
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

function old({ at }: RecentList, now: Date | undefined): string {
  const ms = now === undefined ? 0 : now.getTime() - at;
  return ms > NEW_MS ? `, ${span(ms)} ago` : "";
}

/** `job/report` asks for a job; everything else is a part of a name. */
function meant(query: string): { readonly kind: "service" | "job" | undefined; readonly name: string } {
  const [, kind, name = query] = /^(service|job)\/(.*)$/isu.exec(query) ?? [];
  const wanted = kind?.toLowerCase();
  return { kind: wanted === "service" || wanted === "job" ? wanted : undefined, name };
}

function group(kind: "service" | "job", label: string, { entries }: RecentList): Group {
  const items = entries.map(({ name, status }) => ({ value: `${kind}/${name}`, text: name, description: status }));
  return { label, items: items.sort(byText) };
}

function byText(one: OptionInput, other: OptionInput): number {
  return one.text < other.text ? -1 : Number(one.text > other.text);
}

/** The instances of a job, in the order given; any other can be typed. */
export function instanceOptions({ query, names }: { readonly query: string; readonly names: readonly string[] }) {
  const groups = [named("Instances", names)];
  return suggestion({ groups, query, typed: asTyped(query, groups) });
}

/** The regions that are known; any other can be typed. */
export function regionOptions({ query, regions }: { readonly query: string; readonly regions: readonly string[] }) {
  const groups = [named("Known regions", regions)];
  return suggestion({ groups, query, typed: pathSafe(query.trim()) ? asTyped(query, groups) : undefined });
}

function named(label: string, names: readonly string[]): Group {
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
