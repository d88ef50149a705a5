import type { Command } from "../../commands/command.ts";
import type { AccountOwner } from "../../accounts/resolve.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Entry } from "../../commands/lookup/directory.ts";
import { levelOf, type Level } from "../../../api/workload-status.ts";

/** The data of a person's Home tab, as far as it is known yet. */
export type HomeState = {
  /** Their account, its default region, and the region for jobs. */
  readonly account?: {
    readonly owner: AccountOwner;
    readonly username: string;
    readonly region: string;
    readonly jobsRegion: string;
  };
  /** Complete sentences: why there is no account. */
  readonly accountProblem?: string | undefined;
  /** Undefined when unknown. */
  readonly services?: readonly Entry[] | undefined;
  readonly jobs?: readonly Entry[] | undefined;
  /** From 0; a page beyond the end is the last one. */
  readonly page: number;
  /** Waiting for the workload API. */
  readonly isReading: boolean;
  /** Complete sentences: why workloads are missing, or as they were a while ago. */
  readonly apiProblem?: string | undefined;
  /** Complete sentences: why anything else is missing. */
  readonly problems: readonly string[];
  /** Their own pending requests, and those that wait for their approval. */
  readonly mine: readonly StoredChange[];
  readonly waiting: readonly StoredChange[];
  /** More requests are open than were checked for this person. */
  readonly mayWaitMore?: boolean;
  /** How requests ended, newest first. */
  readonly recent: readonly HistoryEvent[];
  /** Verbs allowed for the workloads that are shown, by `service/web`. */
  readonly mayDo: ReadonlyMap<string, readonly Pick<Command, "name" | "button">[]>;
  /** Verbs with a form that the person may use. */
  readonly verbs: readonly { readonly name: string; readonly summary: string }[];
  readonly regions: readonly string[];
  readonly defaultRegion: string;
  /** When the workloads were read. */
  readonly readAt: Date;
  readonly now: Date;
};

/** A workload on Home. */
export type Row = Entry & { readonly kind: "service" | "job"; readonly level: Level };

export type HomeRows = {
  /** Failing ones first, then those on their way. */
  readonly troubled: readonly Row[];
  /** How many more of them there are. */
  readonly moreTroubled: number;
  /** One page of the others, by name: what is troubled above is not shown twice. */
  readonly rows: readonly Row[];
  readonly page: number;
  /** The position of the page's first row, from 0. */
  readonly from: number;
  /** How many others there are. */
  readonly others: number;
  readonly total: number;
  readonly levels: Readonly<Record<Level, number>>;
};

export const HOME_PAGE = 20;
const TROUBLED = 8;

type Known = Pick<HomeState, "services" | "jobs" | "page">;

/** The workloads that Home shows. Others need no look at what a person may do with them. Pure. */
export function homeRows({ services = none, jobs = none, page: wanted }: Known): HomeRows {
  const { troubled, moreTroubled, others, total, levels } = overviewOf(services, jobs);
  const page = Math.max(0, Math.min(wanted, Math.ceil(others.length / HOME_PAGE) - 1));
  const from = page * HOME_PAGE;
  const rows = others.slice(from, from + HOME_PAGE).map(rowOf);
  return { troubled, moreTroubled, rows, page, from, others: others.length, total, levels };
}

const none: readonly Entry[] = [];

type Place = { readonly kind: Row["kind"]; readonly entry: Entry; readonly level: Level };

type Overview = Pick<HomeRows, "troubled" | "moreTroubled" | "total" | "levels"> & {
  readonly others: readonly Place[];
};

/** Everybody who sees the same lists has the same overview: thousands are sorted once. */
const overviews = new WeakMap<readonly Entry[], WeakMap<readonly Entry[], Overview>>();

function overviewOf(services: readonly Entry[], jobs: readonly Entry[]): Overview {
  const known = overviews.get(services) ?? new WeakMap<readonly Entry[], Overview>();
  overviews.set(services, known);
  const overview = known.get(jobs) ?? overviewFor(services, jobs);
  known.set(jobs, overview);
  return overview;
}

function overviewFor(services: readonly Entry[], jobs: readonly Entry[]): Overview {
  const all = [...placesOf("service", services), ...placesOf("job", jobs)].sort(byName);
  const levels = { failing: 0, busy: 0, healthy: 0, idle: 0 };
  for (const { level } of all) levels[level] += 1;
  const withLevel = (wanted: Level): readonly Place[] => all.filter(({ level }) => level === wanted);
  const trouble = [...withLevel("failing"), ...withLevel("busy")];
  const above = new Set(trouble.slice(0, TROUBLED));
  return {
    troubled: [...above].map(rowOf),
    moreTroubled: trouble.length - above.size,
    others: all.filter((each) => !above.has(each)),
    total: all.length,
    levels,
  };
}

/** An API may list a name twice, and Slack refuses equal rows: the last one counts. */
function placesOf(kind: Row["kind"], entries: readonly Entry[]): readonly Place[] {
  const byTarget = new Map(entries.map((entry) => [entry.name, entry]));
  return Array.from(byTarget.values(), (entry) => ({
    kind,
    entry,
    level: entry.health?.level ?? levelOf(entry.status),
  }));
}

function byName({ kind, entry: { name } }: Place, { kind: otherKind, entry: { name: other } }: Place): number {
  if (name !== other) return name < other ? -1 : 1;
  return kind < otherKind ? 1 : -1;
}

function rowOf({ kind, entry, level }: Place): Row {
  return { ...entry, kind, level };
}

export function targetOf({ kind, name }: Pick<Row, "kind" | "name">): string {
  return `${kind}/${name}`;
}
