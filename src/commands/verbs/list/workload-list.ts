import type { Job, Service } from "../../../api/answers.ts";
import type { Ask } from "../../ask.ts";
import { actions, askButton, context, section, table, type Cell, type Column } from "../../../views/kit/blocks.ts";
import { picker } from "../../../views/forms/form-element.ts";
import { hostLink, words } from "../../../views/kit/inline.ts";
import { jobProgress, jobStatus } from "../../../views/kit/status.ts";
import { jobMemory, serviceMemory } from "../../../views/kit/container-text.ts";
import type { Block, Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { grouped, truncate, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";

export type WorkloadList = {
  /** Undefined when not requested or not readable. */
  readonly services: readonly Service[] | undefined;
  readonly jobs: readonly Job[] | undefined;
  /** The buttons carry it with another `args.page`. */
  readonly ask: Ask;
  /** From 0; a page beyond the end is the last one. */
  readonly page: number;
  readonly filter: { readonly text?: string; readonly status?: string };
  readonly region: string;
  readonly now: Date;
  readonly command: string;
  readonly shared: boolean;
};

type Row = { readonly name: string; readonly status: string } & (
  | { readonly kind: "service"; readonly service: Service }
  | { readonly kind: "job"; readonly job: Job }
);

const PAGE = 10;
const NAME = 60;

/** Services and jobs as a table, ten a page: services first, each kind by name. */
export function workloadList(list: WorkloadList): Message {
  const rows = [...(list.services ?? []).map(serviceRow), ...(list.jobs ?? []).map(jobRow)];
  if (rows.length === 0) return empty(list);
  const found = rows.filter((row) => fits(row, list.filter)).sort(byKindAndName);
  if (found.length === 0) return noneFits(list, rows.length);
  const last = Math.ceil(found.length / PAGE) - 1;
  const page = Math.min(Math.max(0, Math.trunc(list.page) || 0), last);
  const shown = found.slice(page * PAGE, (page + 1) * PAGE);
  const range = found.length <= PAGE ? `${grouped(found.length)} in all` : rangeOf(page, shown.length, found.length);
  const about = [where(list), range, ...filterWords(list.filter)].join(" · ");
  return post(`${about}: ${shown.map(({ name, status }) => visible(`${name} ${status}`)).join(", ")}`, [
    drawTable(shown, list),
    context(about),
    ...inRegion(
      list,
      actions(
        page > 0 ? turn("Back", list, page - 1) : undefined,
        page < last ? turn("Next", list, page + 1) : undefined,
        picker(kindOf(list), "Act on…"),
      ),
    ),
  ]);
}

function serviceRow(service: Service): Row {
  return { kind: "service", name: service.name, status: service.status ?? "–", service };
}

function jobRow(job: Job): Row {
  return { kind: "job", name: job.metadata.name, status: jobStatus(job), job };
}

function byKindAndName(one: Row, other: Row): number {
  if (one.kind !== other.kind) return one.kind === "service" ? -1 : 1;
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

function fits({ name, status }: Row, filter: WorkloadList["filter"]): boolean {
  if (filter.text !== undefined && !name.toLowerCase().includes(filter.text.toLowerCase())) return false;
  return filter.status === undefined || status.toLowerCase() === filter.status.toLowerCase();
}

function rangeOf(page: number, count: number, total: number): string {
  return `${grouped(page * PAGE + 1)}–${grouped(page * PAGE + count)} of ${grouped(total)}`;
}

/** The next page replaces this one, so a shared list stays shared. */
function turn(label: string, { ask, shared }: WorkloadList, page: number) {
  return askButton(label, { ...ask, share: shared, args: { ...ask.args, page } });
}

function kindOf({ services, jobs }: WorkloadList): "service" | "job" | "any" {
  if (services === undefined) return "job";
  return jobs === undefined ? "service" : "any";
}

/** Slack sends only the block's id with a choice and its suggestions, so the id holds the region. */
function inRegion({ region }: WorkloadList, blocks: readonly Block[]): Block[] {
  return blocks.map((block) => (/^[\w.-]{1,60}$/u.test(region) ? { ...block, block_id: `region:${region}` } : block));
}

function where({ services, jobs, region }: WorkloadList): string {
  const parts = [services && `services in ${visible(region)}`, jobs && "jobs in us"].filter(
    (part) => part !== undefined,
  );
  return parts.join(" and ");
}

function filterWords({ text, status }: WorkloadList["filter"]): string[] {
  return [...(status === undefined ? [] : [`status ${status}`]), ...(text === undefined ? [] : [`text ${text}`])];
}

function drawTable(rows: readonly Row[], { services, jobs, now }: WorkloadList) {
  const both = services !== undefined && jobs !== undefined;
  const columns: Column[] = [
    { title: "Name" },
    ...(both ? [{ title: "Kind" }] : []),
    { title: "Status" },
    { title: services === undefined ? "Progress" : "Instances", align: "right" },
    { title: "Memory", align: "right" },
    { title: "Age", align: "right" },
    ...(services === undefined ? [] : [{ title: "URL" }]),
  ];
  return table(
    columns,
    rows.map((row) => {
      const [size, memory, created, url] = row.kind === "service" ? serviceCells(row.service) : jobCells(row.job);
      return [
        { text: truncate(visible(row.name), NAME) },
        ...(both ? [{ text: row.kind }] : []),
        { text: truncate(visible(row.status), NAME) },
        { text: size },
        { text: truncate(memory, NAME) },
        { text: age(created, now) ?? "–" },
        ...(services === undefined ? [] : [url]),
      ];
    }),
  );
}

type Cells = readonly [size: string, memory: string, created: string | undefined, url: Cell];

function serviceCells(service: Service): Cells {
  const size = service.target_instance_size;
  return [size === undefined ? "–" : grouped(size), serviceMemory(service), service.created_at, urlCell(service)];
}

function jobCells(job: Job): Cells {
  return [jobProgress(job), jobMemory(job), job.metadata.creationTimestamp, { text: "–" }];
}

function urlCell({ port_mappings, default_domain_name }: Service): Cell {
  const urls = (port_mappings ?? []).map(({ service_url }) => service_url).filter((url) => url !== undefined);
  const [first = default_domain_name, ...more] = urls;
  if (first === undefined) return { text: "–" };
  // A cell holds either a link or a text, so a cell with a link can't show the number of other ports.
  return more.length === 0 ? { text: first, link: hostLink(first) } : { text: `${first} +${more.length}` };
}

function empty(list: WorkloadList): Message {
  const example =
    list.services === undefined
      ? "create job report --image gantry/batch"
      : "create service web --image gantry/hello-web";
  const sentence = "Nothing here yet. Create one with";
  return post(`${sentence} ${list.command} ${example}`, [
    section(`${sentence} \`${list.command} ${example}\``),
    context(where(list) || "nothing was asked for"),
  ]);
}

function noneFits(list: WorkloadList, total: number): Message {
  const kinds = [list.services && "service", list.jobs && "job"].filter((part) => part !== undefined).join(" or ");
  const wanted = filterWords(list.filter).join(" and ");
  const there = total === 1 ? "There is 1 without the filter." : `There are ${grouped(total)} without the filter.`;
  return post(`No ${kinds} matches ${wanted}. ${there}`, [
    section([words(`No ${kinds} matches ${wanted}. ${there}`, 600)]),
    context(where(list)),
  ]);
}
