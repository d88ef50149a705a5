import type { Job, Service } from "../../../api/answers.ts";
import { jobStatus, serviceStatus, type WorkloadStatus } from "../../../api/workload-status.ts";
import type { Cell } from "../../../views/kit/blocks.ts";
import { hostLink } from "../../../views/kit/inline.ts";
import { counted, grouped } from "../../../views/kit/text.ts";
import { needsAttention, statusFilter } from "./status-filter.ts";

/** A workload in a list: all that its place in it depends on. */
export type Row = { readonly name: string; readonly status: WorkloadStatus } & (
  | { readonly kind: "service"; readonly service: Service }
  | { readonly kind: "job"; readonly job: Job }
);

/** The rest of a row. Only the rows of one page need it. */
type Details = {
  /** "2/2", or "4 attempts" of a job. */
  readonly size: string;
  readonly created: string | undefined;
  readonly address: Cell;
};

export type ListFilter = { readonly text?: string; readonly status?: string };

export function serviceRow(service: Service): Row {
  return { kind: "service", name: service.name, status: serviceStatus(service), service };
}

export function jobRow(job: Job): Row {
  return { kind: "job", name: job.metadata.name, status: jobStatus(job), job };
}

export function detailsOf(row: Row): Details {
  if (row.kind === "job") {
    return { size: attemptsOf(row.job), created: row.job.metadata.creationTimestamp, address: { text: "job" } };
  }
  const { service } = row;
  return { size: sizeOf(service), created: service.created_at, address: addressOf(service) };
}

/** "2/3" where the API says how many are ready, otherwise "3". */
function sizeOf({ target_instance_size: size, ready_instances: ready }: Service): string {
  if (size === undefined) return "–";
  return ready === undefined ? grouped(size) : `${grouped(ready)}/${grouped(size)}`;
}

function attemptsOf({ spec, status = {} }: Job): string {
  const { failed = 0, succeeded = 0 } = status;
  if (failed > 0) return counted(failed + succeeded, "attempt");
  return spec?.completions === undefined ? grouped(succeeded) : `${grouped(succeeded)}/${grouped(spec.completions)}`;
}

function addressOf({ port_mappings, default_domain_name, binding_domain_name }: Service): Cell {
  const urls = (port_mappings ?? []).map(({ service_url }) => service_url).filter((url) => url !== undefined);
  const all = [...(binding_domain_name ?? []), ...urls];
  const [first = default_domain_name, ...more] = all;
  if (first === undefined) return { text: "–" };
  // A cell holds either a link or a text, so a cell with a link can't show the number of the others.
  return more.length === 0 ? { text: first, link: hostLink(first) } : { text: `${first} +${more.length}` };
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
