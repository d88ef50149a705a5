import type { Job, Service } from "../../../../api/answers.ts";
import { jobStatus, serviceStatus, type WorkloadStatus } from "../../../../api/workload-status.ts";
import { hostLink, type Inline, joined, words } from "../../../views/kit/inline.ts";
import { counted, grouped, truncate, visible } from "../../../views/kit/text.ts";
import { shortAge } from "../../../views/kit/time.ts";
import { needsAttention, statusFilter } from "./status-filter.ts";

/** A workload in a list: all that its place in it depends on. */
export type Row = { readonly name: string; readonly status: WorkloadStatus } & (
  | { readonly kind: "service"; readonly service: Service }
  | { readonly kind: "job"; readonly job: Job }
);

export type ListFilter = { readonly text?: string; readonly status?: string };

export function serviceRow(service: Service): Row {
  return { kind: "service", name: service.name, status: serviceStatus(service), service };
}

export function jobRow(job: Job): Row {
  return { kind: "job", name: job.metadata.name, status: jobStatus(job), job };
}

/**
 * The second line of a row: "2 of 2 · 3d old · shop.example.com", "job · 4 attempts · 2m old". Only the rows of
 * one page need it. A job runs until it completes, so it has no size and no address.
 */
export function factsOf(row: Row, now: Date): Inline[] {
  const created = row.kind === "job" ? row.job.metadata.creationTimestamp : row.service.created_at;
  const age = shortAge(created, now);
  const facts = row.kind === "job" ? ["job", ...runsOf(row.job)] : sizeOf(row.service);
  const old = age === undefined ? [] : [`${age} old`];
  const address = row.kind === "job" ? undefined : addressOf(row.service);
  return joined([...[...facts, ...old].map((fact) => words(fact)), ...(address === undefined ? [] : [address])], " · ");
}

/** "2 of 3" where the API says how many are ready, otherwise "3 instances". */
function sizeOf({ target_instance_size: size, ready_instances: ready }: Service): string[] {
  if (size === undefined) return [];
  return [ready === undefined ? counted(size, "instance") : `${grouped(ready)} of ${grouped(size)}`];
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
export function byNeed(one: Row, other: Row): number {
  const need = rank(one) - rank(other);
  if (need !== 0) return need;
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

function rank({ status }: Row): number {
  if (status.level === "failing") return 0;
  return needsAttention(status) ? 1 : 2;
}

export function nameFits(name: string, { text }: ListFilter): boolean {
  return text === undefined || name.toLowerCase().includes(text.toLowerCase());
}

export function statusFits(status: WorkloadStatus, filter: ListFilter): boolean {
  return filter.status === undefined || statusFilter(filter.status)(status);
}
