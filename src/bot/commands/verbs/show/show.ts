import { z } from "zod";
import type { HistoryEvent } from "../../../changes/history-event.ts";
import { partsOf, type StoredChange } from "../../../changes/stored-change.ts";
import { readOr, UserError } from "../../../errors.ts";
import type { CardActions } from "./card-buttons.ts";
import { type CardFacts, lastChange } from "./card-parts.ts";
import type { LogCheck } from "./verdict.ts";
import { jobCard } from "./job-card.ts";
import { serviceCard } from "./service-card.ts";
import { shortAnswer } from "./short-answer.ts";
import { allowedVerbs, offeredVerbs, refusedRead } from "../../lookup/authorize.ts";
import { findListed, type Found, kindInRecentLists, nameOf, statusOf, workloadOf } from "../../lookup/find.ts";
import { type LogOf, readLog, recordsOf } from "../logs/open-log.ts";
import type { LogRecord } from "../../../logs/excerpt.ts";
import type { Message } from "../../../views/kit/post.ts";
import { refusalOf } from "../../lookup/service-change.ts";
import type { Command, ReadCommand, VerbContext } from "../../command.ts";
import { Target } from "../../grammar/argument-types.ts";
import { readVerb } from "../../grammar/verb.ts";
import { workloadField } from "../../forms/form.ts";
import { logDate, momentOnLogDate } from "../../../../api/log-pages.ts";
import { Problem } from "../../../../api/problem.ts";
import { findFailures } from "../../../logs/failures.ts";
import { goneFrom, rolloutOf } from "../../../logs/runs.ts";

/** Takes a function because the list of verbs holds this verb. */
export function showCommand(commands: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "show",
    isMostUsed: true,
    summary: "Show a workload's status, instances and last change",
    example: "show web",
    aliases: ["describe", "info", "inspect", "rollout status"],
    near: ["details", "state"],
    phrases: [
      ["[is] NAME [not] (good|up|down|bad|back|back up|running|STATUS)|is NAME restart", "show NAME --brief"],
      [
        "[how] is (VERB|EVENT|versions) NAME (finished|going|good)|what is (version|instances) NAME [running]|(version|instances) NAME [running|run|use|live]|how is STATUS NAME",
        "show NAME --brief",
      ],
      ["is NAME (run|finished)", "show NIGHT NAME --brief"],
      [
        "when is status NAME|when [is] NAME (run|start|finished|restart|bad|STATUS)|when [will] NAME (run|start|finished)|how long [is] NAME (take|running|up|down|STATUS|bad)|where [is] NAME [running|run]",
        "show NAME",
      ],
      [
        "[how] is NAME (going|looking|doing)|how [is] NAME|(show|look|info) NAME|show instances NAME|status NAME|stop (deploy|rollback|versions) NAME|(memory|domains) [use|need] NAME",
        "show NAME",
      ],
    ],
    words: { name: "NAME" },
    usage: "show NAME",
    flags: { brief: { summary: "only how it is, in two lines", isInternal: true } },
    args: z.object({ name: Target, brief: z.boolean().default(false) }),
    reads: ["getService", "getJob"],
    form: { title: "Show a workload", submit: "Show", fields: () => [workloadField] },
    async answer({ name, brief }, context) {
      const isListed = kindInRecentLists(name.name, context) !== undefined;
      const found = await findListed(name, context);
      if (brief) return shortAnswer(found, context);
      // Finding a bare name took two calls already, the most for a read.
      // What is stopped or complete logs nothing new.
      const readsLog = (name.kind !== undefined || isListed) && statusOf(found).level !== "idle";
      return workloadCard(found, await factsOf(found, commands(), context, readsLog));
    },
  });
}

/** The card of a workload that was read. */
export function workloadCard(found: Found, facts: CardFacts): Message {
  return found.kind === "service"
    ? serviceCard({ ...facts, service: found.service })
    : jobCard({ ...facts, job: found.job });
}

/** What a card says beyond the workload itself; at most one call, for its log. */
export async function factsOf(
  found: Found,
  commands: readonly Command[],
  context: VerbContext,
  readsLog: boolean,
): Promise<CardFacts> {
  const logs = readsLog ? commands.find(({ name }) => name === "logs") : undefined;
  const [actions, changes, ended, log] = await Promise.all([
    actionsFor(found, commands, context),
    waitingFor(found, context),
    endedFor(found, context),
    logs?.effect === "read" ? checkLog(found, logs, context) : undefined,
  ]);
  const { kind, region } = found;
  const name = nameOf(found);
  const last = lastChange(ended, { kind, region, name });
  const usual = kind === "job" ? usualRun(ended, name) : undefined;
  return { region, now: context.now, actions, waiting: { changes, ended }, last, log, usual };
}

/** Rows to read: for a service, until the last request that ran; for a job, the runs whose durations are compared. */
const ENDED = { service: 10, job: 40 };

/** Rows of its latest ended requests, newest first; empty when history can't be read. */
async function endedFor(found: Found, { records, account }: VerbContext): Promise<readonly HistoryEvent[]> {
  const workload = { name: nameOf(found), account: account.username };
  const history = records.history({ workload, show: "ended", limit: ENDED[found.kind] });
  return (await readOr(history, undefined))?.events ?? [];
}

/** How long the runs of a job of this name took; undefined for fewer than two. */
function usualRun(ended: readonly HistoryEvent[], name: string): CardFacts["usual"] {
  const took = ended
    .flatMap(({ request }) => {
      const { kind, afterMs } = request?.health ?? {};
      const isRun = request?.op === "createJob" && request.workload.name === name && kind === "reached";
      return isRun && afterMs !== undefined ? [afterMs] : [];
    })
    .toSorted((one, other) => one - other);
  const median = took[Math.floor(took.length / 2)];
  return median === undefined || took.length < 2 ? undefined : { ms: median, runs: took.length };
}

/** Requests for this workload that wait for approval. `show` also works when the database doesn't answer. */
async function waitingFor(
  found: Found,
  { records, account }: VerbContext,
): Promise<readonly StoredChange[] | undefined> {
  const name = nameOf(found);
  const isThis = ({ kind, region, name: other }: StoredChange["workload"]): boolean =>
    kind === found.kind && region === found.region && other === name;
  return (await readOr(records.pending(), undefined))?.filter(
    (change) =>
      change.account.username === account.username && partsOf(change).some(({ workload }) => isThis(workload)),
  );
}

/**
 * A private card offers what the person may do. A shared card offers everything: policy decides at the click. Neither
 * offers what the workload API would refuse.
 */
async function actionsFor(found: Found, commands: readonly Command[], context: VerbContext): Promise<CardActions> {
  const { share: isShared } = context.ask;
  const workload = { kind: found.kind, name: nameOf(found), region: found.region };
  const allowed = isShared ? offeredVerbs(commands) : await allowedVerbs(commands, workload, context);
  const read = workloadOf(found);
  const mayDo = allowed.filter((command) => command.effect !== "write" || refusalOf(read, command.sends) === undefined);
  return { isShared, mayDo };
}

const LINES = { from: 0, size: 200 };
/** A slow log doesn't keep anybody from the workload's status. */
const MOST_MS = 4_000;

/** Reads the newest lines of today's log, with one call, and never throws because of the log. */
async function checkLog(found: Found, logs: ReadCommand, context: VerbContext): Promise<LogCheck> {
  const { kind, region } = found;
  const name = nameOf(found);
  const args = { name: `${kind}/${name}` };
  if ((await refusedRead(logs, { ...context.ask, verb: logs.name, args }, context)) !== undefined) return undefined;
  const { settings, now } = context;
  const date = logDate(now, settings.logZone);
  try {
    const lines = await newestLines(found, { region, name, date }, context);
    const read = await context.logs.excerpt({ lines, ...LINES }, { kind, region, name });
    const created = found.kind === "service" ? found.service.created_at : found.job.metadata.creationTimestamp;
    const page = {
      lines: read.lines,
      mayHaveOlder: read.mayHaveOlder,
      nowMs: now.getTime(),
      startMs: Math.max(momentOnLogDate(date, settings.logZone).getTime(), Date.parse(created ?? "") || 0),
    };
    const rolloutMs = found.kind === "service" ? rolloutOf(found.service) : undefined;
    const isGone = goneFrom(found.kind === "service" ? found.service : { name });
    const findings = findFailures({ ...page, rolloutMs, isGone });
    // The reason why it fails may only be in the log of an instance of this rollout that was replaced.
    const others = findings.count === 0 && rolloutMs !== undefined && statusOf(found).level !== "healthy";
    return others ? findFailures({ ...page, rolloutMs }) : findings;
  } catch (error) {
    if (error instanceof Problem || error instanceof UserError) return "unread";
    throw error;
  }
}

/** None where the API knows no log. Of a job, those of its last instance, which is the newest. */
async function newestLines(
  found: Found,
  log: Pick<LogOf, "region" | "name" | "date">,
  context: VerbContext,
): Promise<readonly LogRecord[]> {
  const { kind } = found;
  if (kind === "service") return recordsOf((await readLog({ ...log, kind }, LINES, context, MOST_MS)) ?? []);
  const instance = found.job.instance_names?.at(-1);
  const lines = instance === undefined ? [] : await readLog({ ...log, kind, instance }, LINES, context, MOST_MS);
  return (lines ?? []).map(({ log: text }) => ({ text }));
}
