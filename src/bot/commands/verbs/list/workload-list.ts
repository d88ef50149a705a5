import type { Job, Service } from "../../../../api/answers.ts";
import type { Cause } from "../../../../api/cause.ts";
import { lead, type WorkloadStatus, jobStatus, serviceStatus } from "../../../../api/workload-status.ts";
import type { VerbContext } from "../../command.ts";
import {
  actions,
  askButton,
  context,
  type Line,
  listed,
  section,
  suggesting,
  withBlockId,
} from "../../../views/kit/blocks.ts";
import { picker } from "../../../views/forms/form-element.ts";
import { openButton } from "../../../views/kit/ask-buttons.ts";
import { strong, words, hostLink, type Inline, joined } from "../../../views/kit/inline.ts";
import { type Message, post } from "../../../views/kit/post.ts";
import { unusualKind } from "../show/card-parts.ts";
import { matchesPattern } from "../../../policy/patterns.ts";
import { dotOf, statusWords } from "../../../views/kit/health.ts";
import { counted, grouped, instancesText, truncate, visible, truncateMiddle } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";

export type WorkloadList = Pick<VerbContext, "ask" | "region" | "now"> & {
  /** Undefined when not requested or not readable. */
  readonly services: readonly Service[] | undefined;
  readonly jobs: readonly Job[] | undefined;
  /** From 0; a page beyond the end is the last one. */
  readonly page: number;
  readonly filter: ListFilter;
  readonly jobsRegion: string;
  readonly shared: boolean;
  readonly mayCreate: boolean;
};

const PAGE = 10;
const NAME = 60;
const STATUS = 100;

/** Services and jobs, ten a page: trouble first, then by name. */
export function workloadList(list: WorkloadList): Message {
  const total = (list.services?.length ?? 0) + (list.jobs?.length ?? 0);
  if (total === 0) return empty(list);
  const found = rowsOf(list);
  if (found.length === 0) return noneFits(list);
  const last = Math.ceil(found.length / PAGE) - 1;
  const page = Math.min(Math.max(0, Math.trunc(list.page) || 0), last);
  const from = page * PAGE;
  const shown = firstOf(found, from + PAGE).slice(from);
  const title = heading(list, { total, found });
  const spoken = shown.map(({ name, status }) => `${dotOf(status)} ${visible(name)} ${statusWords(status, list.now)}`);
  return post(`${title}: ${spoken.join(", ")}`, [
    section([strong(title, 300)]),
    ...listed(shown.flatMap((row) => rowLines(row, list.now))),
    ...(last > 0 ? [context(`${grouped(from + 1)}–${grouped(from + shown.length)} of ${grouped(found.length)}`)] : []),
    // Slack sends only the block's id with a choice and its suggestions, so the id holds the region.
    ...withBlockId(
      actions(
        page > 0 ? turn("Back", list, page - 1) : undefined,
        page < last ? turn("Next", list, page + 1) : undefined,
        picker(kindOf(list), "Act on…"),
      ),
      /^[\w.-]{1,60}$/u.test(list.region) ? `region:${list.region}` : undefined,
    ),
  ]);
}

/** Names are compared first: a long list has few rows to make then. */
function rowsOf({ services, jobs, filter }: WorkloadList): Row[] {
  const rows = [
    ...(services ?? [])
      .filter(({ name }) => nameFits(name, filter))
      .map((service): Row => ({ kind: "service", name: service.name, status: serviceStatus(service), service })),
    ...(jobs ?? [])
      .filter(({ metadata }) => nameFits(metadata.name, filter))
      .map((job): Row => ({ kind: "job", name: job.metadata.name, status: jobStatus(job), job })),
  ];
  if (filter.status === undefined) return rows;
  // Other words, which `--status` takes for statuses of other workload APIs, are compared with how the status begins.
  const wanted = filter.status.toLowerCase();
  const fits: Fits = filters.get(wanted) ?? (({ words }) => words.startsWith(wanted));
  return rows.filter(({ status }) => fits(status));
}

/** The first so many by need. Of tens of thousands a page needs ten, and to sort all of them would keep acks waiting. */
function firstOf(rows: readonly Row[], count: number): readonly Row[] {
  if (rows.length <= 1_000 || count > 100) return rows.toSorted(byNeed).slice(0, count);
  const first: Row[] = [];
  for (const row of rows) {
    const last = first.at(-1);
    if (first.length >= count && last !== undefined && byNeed(row, last) >= 0) continue;
    const place = first.findLastIndex((each) => byNeed(each, row) <= 0);
    first.splice(place + 1, 0, row);
    if (first.length > count) first.pop();
  }
  return first;
}

type Counted = { readonly total: number; readonly found: readonly Row[] };

/**
 * "5 workloads in us · 1 needs attention", "3 services in beijing1 · 2 jobs in us",
 * "No services in beijing2 · 1 job in us", "2 of 12 workloads · stopped", "4 of 14 workloads need attention".
 */
function heading(list: WorkloadList, { total, found }: Counted): string {
  const { filter } = list;
  const unwell = found.filter(({ status }) => needsAttention(status)).length;
  const attention = unwell === 0 ? [] : [`${grouped(unwell)} ${unwell === 1 ? "needs" : "need"} attention`];
  if (Object.keys(filter).length === 0) return [...missing(list), places(list), ...attention].join(" · ");
  const noun = { service: "service", job: "job", any: "workload" }[kindOf(list)];
  const among = `${grouped(found.length)} of ${counted(total, noun)}`;
  const { status, ...others } = filter;
  if (status !== undefined && isTroubleWord(status))
    return [`${among} ${found.length === 1 ? "needs" : "need"} attention`, ...filterWords(others)].join(" · ");
  return [among, ...filterWords(filter), ...(status === undefined ? attention : [])].join(" · ");
}

/** Jobs have a region of their own, so they are counted apart where services are elsewhere. */
function places({ region, jobsRegion, ...list }: WorkloadList): string {
  const services = list.services?.length ?? 0;
  const jobs = list.jobs?.length ?? 0;
  if (services > 0 && jobs > 0 && region === jobsRegion)
    return `${counted(services + jobs, "workload")} in ${visible(region)}`;
  return [
    ...(services > 0 ? [`${counted(services, "service")} in ${visible(region)}`] : []),
    ...(jobs > 0 ? [`${counted(jobs, "job")} in ${visible(jobsRegion)}`] : []),
  ].join(" · ");
}

/** Without it, the jobs of another region look like those of the region that was asked about. */
function missing({ services, region, jobsRegion }: WorkloadList): string[] {
  return services?.length === 0 && region !== jobsRegion ? [`No services in ${visible(region)}`] : [];
}

function filterWords({ text, status }: ListFilter): string[] {
  return [
    ...(status === undefined ? [] : [isTroubleWord(status) ? "needs attention" : visible(status).toLowerCase()]),
    ...(text === undefined ? [] : [`name ${text.includes("*") ? "matches" : "contains"} “${visible(text)}”`]),
  ];
}

/** The next page replaces this one, so a shared list stays shared. */
function turn(label: string, { ask, shared }: WorkloadList, page: number) {
  return askButton(label, { ...ask, share: shared, args: { ...ask.args, page } });
}

function kindOf({ services, jobs }: WorkloadList): "service" | "job" | "any" {
  if (services === undefined) return "job";
  return jobs === undefined ? "service" : "any";
}

/** Two short lines for each: a phone shows them without scrolling sideways. */
function rowLines(row: Row, now: Date): Line[] {
  const facts = factsOf(row, now);
  const { name, status } = row;
  return [
    [
      words(`${dotOf(status)} `),
      strong(truncateMiddle(visible(name), NAME)),
      words(` · ${truncate(statusText(status, now), STATUS)}`),
    ],
    ...(facts.length === 0 ? [] : [[words(INDENT), ...facts]]),
  ];
}

/** As wide as the dot before a name. */
const INDENT = "\u2003\u2002";

/** "failing: exit 2", "can't pull its image": most causes say why already. */
export function statusText(status: WorkloadStatus, now: Date): string {
  const { level, cause, facts, reason } = status;
  const words = statusWords(status, now);
  const isNamed = facts !== undefined || (cause !== undefined && !VAGUE.has(cause));
  return isNamed || level === "idle" || level === "healthy" || reason === undefined
    ? words
    : `${words}: ${visible(lead(reason))}`;
}

const VAGUE: ReadonlySet<Cause> = new Set(["failing", "stuck", "job-failed"]);

function empty({ services, jobs, region, mayCreate }: WorkloadList): Message {
  const noun = services === undefined ? "jobs" : jobs === undefined ? "services" : "workloads";
  const where = services === undefined ? "" : ` in ${visible(region)}`;
  const sentence = truncate(`No ${noun}${where} yet.`, 200);
  const values = services === undefined ? { kind: "job" } : jobs === undefined ? { kind: "service" } : {};
  const create = mayCreate ? openButton("Create one", { verb: "create", values, region }) : undefined;
  return post(sentence, [section([words(sentence)]), ...suggesting(create)]);
}

function noneFits(list: WorkloadList): Message {
  const { text, status } = list.filter;
  const isAllWell = text === undefined && status !== undefined && isTroubleWord(status);
  const sentence = isAllWell
    ? `Nothing needs attention among ${places(list)}.`
    : `Nothing matches: ${filterWords(list.filter).join(", ")}. Without the filter: ${places(list)}.`;
  const { kind } = list.ask.args;
  const all = { ...list.ask, share: list.shared, args: kind === undefined ? {} : { kind } };
  return post(sentence, [section([words(sentence, 600)]), ...actions(askButton("Show all", all))]);
}

/** A workload in a list: all that its place in it depends on. */
export type Row = { readonly name: string; readonly status: WorkloadStatus } & (
  | { readonly kind: "service"; readonly service: Service }
  | { readonly kind: "job"; readonly job: Job }
);

type ListFilter = { readonly text?: string; readonly status?: string };

/**
 * The second line of a row: "2 of 2 · 3d old · shop.example.com", "job · 4 attempts · 2m old". Only the rows of
 * one page need it. A job runs until it completes, so it has no size and no address.
 */
export function factsOf(row: Row, now: Date): Inline[] {
  const created = row.kind === "job" ? row.job.metadata.creationTimestamp : row.service.created_at;
  const since = age(created, now);
  const facts =
    row.kind === "job"
      ? [unusualKind(row.job) ?? "job", ...runsOf(row.job)]
      : [unusualKind(row.service) ?? [], instancesText(row.service) ?? []].flat();
  const old = since === undefined ? [] : [`${since} old`];
  const address = row.kind === "job" ? undefined : addressOf(row.service);
  return joined([...[...facts, ...old].map((fact) => words(fact)), ...(address === undefined ? [] : [address])], " · ");
}

/** How often it was tried, and how much of it is done where it has to complete several times. */
function runsOf({ spec, status }: Job): string[] {
  if (status === undefined) return [];
  const { failed = 0, succeeded = 0 } = status;
  const completions = spec?.completions ?? 1;
  return [
    ...(failed > 0 ? [counted(failed + succeeded, "attempt")] : []),
    ...(completions > 1 ? [`${grouped(succeeded)} of ${grouped(completions)} done`] : []),
  ];
}

const ADDRESS = 80;

function addressOf({ port_mappings, default_domain_name, binding_domain_name }: Service): Inline | undefined {
  const urls = (port_mappings ?? []).map(({ service_url }) => service_url).filter((url) => url !== undefined);
  const [first = default_domain_name, ...more] = [...(binding_domain_name ?? []), ...urls];
  if (first === undefined) return undefined;
  const link = hostLink(first, ADDRESS);
  // Without "http://", the line fits a phone.
  if (more.length === 0) return link.type === "link" ? { ...link, text: visible(first) } : link;
  return words(`${truncate(visible(first), ADDRESS)} +${more.length}`);
}

/** Trouble first, then by name. */
function byNeed(one: Row, other: Row): number {
  const need = rank(one) - rank(other);
  if (need !== 0) return need;
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

function rank({ status }: Row): number {
  if (status.level === "failing") return 0;
  return needsAttention(status) ? 1 : 2;
}

function nameFits(name: string, { text }: ListFilter): boolean {
  if (text === undefined) return true;
  // The text is found anywhere in a name; with a star it is a pattern.
  const pattern = text.includes("*") ? text : `*${text}*`;
  return matchesPattern(pattern.toLowerCase(), name.toLowerCase());
}

type Fits = (status: WorkloadStatus) => boolean;

const healthy: Fits = ({ level }) => level === "healthy";
const stopped: Fits = ({ words }) => /^(?:stopped|suspended)/u.test(words);
const complete: Fits = ({ words }) => words.startsWith("complete");

const restarting: Fits = ({ facts = "", words }) => / restarts?\b/u.test(facts) || /\brestarting$/u.test(words);

/** It is retried, or runs with too few instances. Starting and stopping are no trouble. */
const UNSTEADY = /^retrying\b|\d ready$/u;

/** Somebody should have a look at it. */
export const needsAttention: Fits = (status) =>
  status.cause !== undefined ||
  // Busy with a reason means that it may not recover without help.
  (status.level === "busy" && (UNSTEADY.test(status.words) || status.reason !== undefined));

const filters: ReadonlyMap<string, Fits> = new Map([
  // Whoever asks for what fails wants all that a list counts as trouble, not only what is beyond hope.
  ...["failed", "failing", "crashing", "broken", "unhealthy", "trouble"].map((word) => [word, needsAttention] as const), // a pair, not a list
  ["healthy", healthy],
  ["running", ({ level, words }: WorkloadStatus) => level === "healthy" || words.startsWith("running")],
  ["stopped", stopped],
  ["suspended", stopped],
  ["idle", ({ words }: WorkloadStatus) => words.startsWith("idle")],
  ["complete", complete],
  ["completed", complete],
  ["done", complete],
  ["succeeded", complete],
  ["restarting", restarting],
  ...["waiting", "retrying", "starting", "updating", "stopping", "deleting", "pending"].map(
    (word) => [word, ({ words }: WorkloadStatus) => words.startsWith(word)] as const, // a pair, not a list
  ),
]);

/** True for a status that finds everything that needs attention. */
function isTroubleWord(word: string): boolean {
  return filters.get(word.toLowerCase()) === needsAttention;
}

/** True for a word that `list` takes as a status rather than as a part of a name. */
export function isStatusWord(word: string): boolean {
  return filters.has(word.toLowerCase());
}
