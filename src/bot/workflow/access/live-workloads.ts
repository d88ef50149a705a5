import type { Logger } from "pino";
import type { Context } from "../../commands/command.ts";
import { type RecentList, listJobs, listServices } from "../../commands/lookup/directory.ts";
import { listRefusal, visibleItems } from "../../commands/lookup/may-see.ts";
import { within } from "../../../platform/waiting.ts";
import { Problem } from "../../../api/problem.ts";
import type { WorkflowParts } from "../ports.ts";
import type { FormValues } from "../../commands/forms/form.ts";
import type { FormCommand } from "../../commands/grammar/parse.ts";
import { regionOf } from "../../commands/grammar/argument-types.ts";
import { type Suggestion, UserError } from "../../errors.ts";
import { imperative } from "../../views/messages/confirm-message.ts";
import { contextFor } from "./context.ts";
import type { Origin } from "../origin.ts";

/** The latest known lists; undefined where there is none. */
export type Live = {
  readonly services: RecentList | undefined;
  readonly jobs: RecentList | undefined;
  /** Why something is missing, or older than it should be: complete sentences. */
  readonly problems: readonly string[];
  /** The workload API hasn't answered yet. */
  readonly isLate: boolean;
};

type Wanted = {
  readonly of: "service" | "job" | "any";
  readonly region: string;
  /** How old a list may be without being read again, in milliseconds. */
  readonly freshMs: number;
  /** How long to wait for the workload API. A later answer is still remembered. */
  readonly withinMs: number;
};

type ListParts = Pick<WorkflowParts, "lanes" | "clock" | "log">;

/**
 * Names and status of workloads, from the latest list while that is fresh, else from one list call for each kind; from
 * an older list, with a problem that says so, when the API doesn't answer in time. Only workloads that the person may see. Never rejects
 * because of the workload API.
 */
export async function liveWorkloads(deps: ListParts, context: Context, wanted: Wanted): Promise<Live> {
  const { jobsRegion } = context.settings;
  const [services, jobs] = await Promise.all([
    wanted.of === "job" ? nothing : kindOf(deps, context, { ...wanted, kind: "service" }),
    wanted.of === "service" ? nothing : kindOf(deps, context, { ...wanted, kind: "job", region: jobsRegion }),
  ]);
  const problems = [...new Set([services.problem, jobs.problem].filter((each) => each !== undefined))];
  const isLate = services.isLate || jobs.isLate;
  return {
    services: await seen(services, { kind: "service", region: wanted.region }, context),
    jobs: await seen(jobs, { kind: "job", region: jobsRegion }, context),
    problems,
    isLate,
  };
}

type Where = { readonly kind: "service" | "job"; readonly region: string };

/** Only workloads this person may see and, in a bound channel, only those it is bound to. */
async function seen({ lately }: Listed, where: Where, context: Context): Promise<RecentList | undefined> {
  if (lately === undefined) return undefined;
  const { binding } = context;
  // Without a binding it stays the same list, so that what others derive from it is derived once.
  const items = binding === undefined ? lately.entries : lately.entries.filter(({ name }) => binding.covers(name));
  return { ...lately, entries: await visibleItems({ ...where, items, nameOf: ({ name }) => name }, context) };
}

type Listed = {
  readonly lately: RecentList | undefined;
  readonly problem: string | undefined;
  readonly isLate: boolean;
};

const nothing: Listed = { lately: undefined, problem: undefined, isLate: false };

type Kind = Omit<Wanted, "of"> & { readonly kind: "service" | "job" };

async function kindOf(deps: ListParts, context: Context, wanted: Kind): Promise<Listed> {
  const { kind, region, freshMs, withinMs } = wanted;
  const { account, directory } = context;
  const refusal = await listRefusal(kind, region, context);
  if (refusal !== undefined) return { ...nothing, problem: refusal.why };
  const known = directory.recent(account.username, kind, region);
  if (known !== undefined && deps.clock.now().getTime() - known.at < freshMs) return { ...nothing, lately: known };
  // A late one goes on, and is remembered when it comes.
  const reading = (kind === "service" ? listServices({ ...context, region }) : listJobs(context)).then(
    () => ({ isLate: false, problem: undefined }),
    (error: unknown) => ({ isLate: false, problem: sentenceOf(error, deps.log) }),
  );
  deps.lanes.background(reading);
  const late = { isLate: true, problem: "The workload API hasn't answered yet." };
  const outcome = await within(withinMs, reading, () => late, deps.clock);
  return { ...outcome, lately: directory.recent(account.username, kind, region) };
}

function sentenceOf(error: unknown, log: Logger): string {
  if (error instanceof Problem) return error.sentence;
  log.error({ err: error }, "a list for a picker could not be read");
  return "Couldn't read the list because of an internal error.";
}

const MOST = 3;

type Offering = { readonly command: FormCommand; readonly values: FormValues; readonly origin: Origin };

/**
 * Workloads for words that lack only a name, as buttons: the first of a recent list that the person may see. Makes no API
 * call, and offers nothing when there is no recent list or when something else is missing.
 */
export async function workloadsFor(
  deps: WorkflowParts,
  { command, values, origin }: Offering,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const field = command.form.fields(values).find(({ id }) => id === "name");
  if (field?.input.kind !== "workload" || command.effect === "link") return [];
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    const kinds = field.input.of === "any" ? (["service", "job"] as const) : [field.input.of];
    const names = await Promise.all(kinds.map((kind) => visibleNames(kind, context)));
    return names
      .flat()
      .slice(0, MOST)
      .flatMap((name) => suggestionFor(command, { ...values, name }, name));
  } catch (error) {
    // The answer is the missing word; buttons are extra.
    if (error instanceof UserError) return [];
    throw error;
  }
}

async function visibleNames(kind: "service" | "job", context: Context): Promise<readonly string[]> {
  const region = regionOf(kind, context.settings.region, context.settings);
  const known = context.directory.names(context.account.username, kind, region) ?? [];
  const items = known.filter((name) => context.binding?.covers(name) ?? true);
  const names = await visibleItems({ kind, region, items, nameOf: (name) => name, most: MOST }, context);
  return names.map((name) => `${kind}/${name}`);
}

function suggestionFor(command: FormCommand, values: FormValues, name: string): Suggestion[] {
  const filled = command.form.fill(values);
  const label = `${imperative(command)} ${name.replace(/^service\//u, "")}`;
  return filled.kind === "ask" ? [{ ask: filled.ask, label }] : [];
}
