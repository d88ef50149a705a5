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
export function homeRows({ services = [], jobs = [], page: wanted }: Known): HomeRows {
  const listed = [...services.map((each) => row("service", each)), ...jobs.map((each) => row("job", each))];
  // An API may list a name twice, and Slack refuses equal rows.
  const byTarget = new Map(listed.map((each) => [targetOf(each), each]));
  const all = [...byTarget.values()].sort((one, other) => {
    if (one.name !== other.name) return one.name < other.name ? -1 : 1;
    return one.kind < other.kind ? 1 : -1;
  });
  const failing = all.filter(({ level }) => level === "failing");
  const busy = all.filter(({ level }) => level === "busy");
  const trouble = [...failing, ...busy];
  const troubled = trouble.slice(0, TROUBLED);
  const others = all.filter((each) => !troubled.includes(each));
  const page = Math.max(0, Math.min(wanted, Math.ceil(others.length / HOME_PAGE) - 1));
  const from = page * HOME_PAGE;
  const count = (level: Level) => all.reduce((sum, each) => sum + Number(each.level === level), 0);
  return {
    troubled,
    moreTroubled: Math.max(0, trouble.length - TROUBLED),
    rows: others.slice(from, from + HOME_PAGE),
    page,
    from,
    others: others.length,
    total: all.length,
    levels: { failing: failing.length, busy: busy.length, healthy: count("healthy"), idle: count("idle") },
  };
}

function row(kind: Row["kind"], entry: Entry): Row {
  return { ...entry, kind, level: entry.health?.level ?? levelOf(entry.status) };
}

export function targetOf({ kind, name }: Pick<Row, "kind" | "name">): string {
  return `${kind}/${name}`;
}
