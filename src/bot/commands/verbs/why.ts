import { z } from "zod";
import type { HistoryEvent, HistoryEventKind } from "../../changes/history-event.ts";
import { readOr } from "../../errors.ts";
import { historyLine } from "../../views/kit/history-line.ts";
import type { Command, ReadCommand, VerbContext } from "../command.ts";
import { workloadField } from "../forms/form.ts";
import { Target } from "../grammar/argument-types.ts";
import { readVerb } from "../grammar/verb.ts";
import { findListed, type Found, nameOf, statusOf, workloadOf } from "../lookup/find.ts";
import type { LogCheck } from "./show/card-parts.ts";
import { factsOf, workloadCard } from "./show/show.ts";
import type { Service, Event } from "../../../api/answers.ts";
import { causeWords } from "../../../api/cause.ts";
import { lead, statusSentence } from "../../../api/workload-status.ts";
import type { Failure, LogFindings } from "../../logs/failures.ts";
import { counted, grouped, truncate, visible } from "../../views/kit/text.ts";
import { age, span } from "../../views/kit/time.ts";
import { failureRate, readWords, logTexts, newestPage } from "../../views/kit/log-text.ts";
import {
  actions,
  askButton,
  context,
  listed,
  preformatted,
  section,
  type Line,
  type Block,
} from "../../views/kit/blocks.ts";
import { strong, words } from "../../views/kit/inline.ts";

/** One answer to "why is web failing?": a verdict, its card, and what its log reports, the same errors folded into one. */
export function whyCommand(commands: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "why",
    summary: "Show why a workload fails: a verdict, its status and its errors",
    example: "why flaky",
    aliases: ["diagnose"],
    near: ["debug", "explain", "troubleshoot"],
    phrases: [
      [
        "(what|any|is any) (bad|broke|up|troubles|matter) NAME|what is (bad|up|down|troubles|matter|broke) NAME",
        "why NAME",
      ],
      ["what [is] (happened|going) NAME", "why NAME"],
      ["why [is] [not] NAME [bad|good|up|down|running|restart|STATUS]", "why NAME"],
      ["why [is] [not] [VERB|EVENT|versions] NAME …", "why NAME"],
    ],
    words: { name: "NAME" },
    args: z.object({ name: Target }),
    reads: ["getService", "getJob"],
    form: { title: "Why does it fail?", submit: "Show", fields: () => [workloadField] },
    async answer({ name }, verbContext) {
      const found = await findListed(name, verbContext);
      const [facts, changes] = await Promise.all([
        factsOf(found, commands(), verbContext, true),
        changesOf(found, verbContext),
      ]);
      const { log, now, waiting } = facts;
      const events = eventBlocks(found, now);
      const failures = failureBlocks(log, now);
      const changed = changeBlocks(changes, verbContext);
      const isQuiet = changes?.length === 0 && waiting?.changes?.length === 0;
      return workloadCard(found, {
        ...facts,
        // The details say more than a rate, and more than the last change.
        log: undefined,
        last: changes === undefined || changes.length === 0 ? facts.last : undefined,
        verdict: verdictOn(found, log, now),
        details:
          failures === undefined && events.length === 0 && changed.length === 0
            ? undefined
            : [
                ...restartBlocks(found),
                ...changed,
                ...events,
                ...(failures ?? []),
                ...(isQuiet ? [context("No request in the last day · nothing waits")] : []),
                ...crashLogButton(found, verbContext),
              ],
      });
    },
  });
}

const DAY_MS = 24 * 60 * 60_000;
/** Rows of a day that are looked at, and how many of them are shown. */
const ROWS = 40;
const CHANGES = 4;

/** What was requested about it in the last day, newest first; undefined when history can't be read. */
async function changesOf(
  found: Found,
  { records, account, now }: VerbContext,
): Promise<readonly HistoryEvent[] | undefined> {
  const { kind, region } = found;
  const name = nameOf(found);
  const since = new Date(now.getTime() - DAY_MS);
  const asked = { workload: { name, account: account.username }, since, show: "outcomes", limit: ROWS } as const; // a literal
  return (await readOr(records.history(asked), undefined))?.events.filter(
    ({ workload, kind: what }) =>
      changeKinds.has(what) && workload?.kind === kind && workload.region === region && workload.name === name,
  );
}

/** Rows about something that may have changed the workload. */
const changeKinds: ReadonlySet<HistoryEventKind> = new Set(["done", "failed", "unknown"]);

function changeBlocks(changes: readonly HistoryEvent[] | undefined, { now, defaultRegion }: VerbContext): Block[] {
  if (changes === undefined) return [context("Couldn't read what changed. Try again in a minute.")];
  const lines = changes
    .slice(0, CHANGES)
    // The card shows the current health; the one that history has may be older.
    .map((event) => historyLine(event, { now, defaultRegion, detail: "full", isHealthSaid: true }));
  return listed(lines, { title: "Changed in the last day:", left: changes.length - lines.length });
}

/** The status counts those of the last minutes. */
function restartBlocks(found: Found): Block[] {
  if (found.kind === "job") return [];
  const { restarts, restart_count: ever = 0 } = found.service;
  return ever > (restarts?.count ?? ever) ? [section([words(`${counted(ever, "restart")} in all`)])] : [];
}

/** The run that crashed says more than the one that just began. */
function crashLogButton(found: Found, { ask }: VerbContext): Block[] {
  if (found.kind === "job" || statusOf(found).facts === undefined) return [];
  const args = { name: `service/${nameOf(found)}`, previous: true };
  return actions(askButton("Log before the crash", { verb: "logs", region: found.region, share: ask.share, args }));
}

const CAUSE_MESSAGE = 120;

/**
 * What status and log come to, to be read after the name: "keeps crashing, every 20 s: lost the connection to the
 * database, 18 times". Never better than the status, and about no more of the log than was read. Pure.
 */
function verdictOn(found: Found, log: LogCheck, now: Date): string {
  const status = statusOf(found);
  const findings = log === "unread" ? undefined : log;
  if (status.level === "idle") return statusSentence(status);
  if (status.level === "healthy") return healthyVerdict(findings, now);
  const service = found.kind === "service" ? found.service : undefined;
  const reason = status.reason === undefined ? undefined : lead(status.reason);
  const seen = findings === undefined ? undefined : causeIn(findings, service);
  const probe = probeCause(found);
  const what = statusSentence(status);
  if (status.facts !== undefined && service !== undefined)
    return because(`${what}, ${howOften(service, now)}`, probe ?? seen ?? reason);
  return because(what, reason ?? eventCause(found) ?? seen);
}

function because(what: string, cause: string | undefined): string {
  return cause === undefined ? what : `${what}: ${cause}`;
}

/** Only says that it runs: it may still fail at its work. */
function healthyVerdict(log: LogFindings | undefined, now: Date): string {
  if (log === undefined) return "runs";
  if (log.read === 0) return `runs, and ${nothingLogged(log)}`;
  const [worst, ...others] = log.failures;
  if (worst === undefined) return `runs, with no error in ${readWords(log)}`;
  const rate = failureRate(log);
  const most = others.length === 0 ? "" : ", most often";
  if (rate !== undefined) return `runs, but logs ${rate}${most}: ${truncate(worst.message, CAUSE_MESSAGE)}`;
  const latest = log.failures.reduce((one, other) => (timeOf(other) > timeOf(one) ? other : one));
  const ago = age(new Date(timeOf(latest)).toISOString(), now);
  return `runs; its last error was ${ago} ago: ${truncate(latest.message, CAUSE_MESSAGE)}`;
}

function nothingLogged({ gone }: LogFindings): string {
  return gone === undefined ? "has logged nothing today" : "its current instances have logged nothing yet";
}

function timeOf({ latest: { atMs = 0 } }: Failure): number {
  return atMs;
}

/** Two intervals without a crash, and it may be over. */
const QUIET = 3;

/** "every 20 s", "6 times, the last 2 h ago". */
function howOften({ restarts, restart_count: ever, last_state }: Service, now: Date): string {
  const count = restarts?.count ?? ever ?? 0;
  const [first, last] = [Date.parse(restarts?.first_at ?? ""), Date.parse(restarts?.last_at ?? "")];
  const every = (last - first) / (count - 1);
  if (every > 0 && now.getTime() - last <= QUIET * every) return `every ${span(every)}`;
  const ago = age(restarts?.last_at ?? last_state?.finished_at, now);
  return `${counted(count, "time")}${ago === undefined ? "" : `, the last ${ago} ago`}`;
}

/**
 * The error that its log reports most, unless that is from before it began to crash: "lost the connection to the database,
 * 18 times"; of a part of a log, in how much of it.
 */
function causeIn(log: LogFindings, service: Service | undefined): string | undefined {
  const since = Date.parse(service?.restarts?.first_at ?? "");
  const cause = log.failures.find(({ latest: { atMs } }) => !(atMs !== undefined && atMs < since - 60_000));
  if (cause === undefined) return undefined;
  const ago = log.gone?.rolloutAgoMs;
  const part = log.mayHaveOlder
    ? ` in the last ${grouped(log.read)} log lines`
    : ago === undefined
      ? ""
      : ` in ${span(ago)}`;
  const often = cause.count === 1 ? "" : `, ${counted(cause.count, "time")}${part}`;
  return `${truncate(cause.message, CAUSE_MESSAGE)}${often}`;
}

const KINDS = 3;
/** Of a stack trace, its head: the rest is in the log. */
const LINES = 6;
const LINE = 200;

/**
 * What a log reports: each error once, with its number and its newest entry, or the newest entries without any. Undefined
 * for somebody who may not read it.
 */
function failureBlocks(log: LogCheck, now: Date): Block[] | undefined {
  if (log === undefined) return undefined;
  if (log === "unread") return [context("Couldn't read the log. Try Logs.")];
  if (log.read === 0 && log.gone === undefined) return [context("The log has no lines today.")];
  const { failures } = log;
  if (failures.length === 0) return [...newestEntries(log), ...goneBlocks(log)];
  const others = failures.slice(KINDS).reduce((sum, { count }) => sum + count, 0);
  const more = others === 0 ? "" : ` · ${counted(others, "other error")}`;
  return [
    ...failures.slice(0, KINDS).flatMap((failure) => failureBlock(failure, now)),
    context(`From ${readWords(log)}${more}`),
    ...goneBlocks(log),
  ];
}

/** "18×, the last 14 s ago in web-1", and the newest one. */
function failureBlock({ count, latest }: Failure, now: Date): Block[] {
  const ago = latest.atMs === undefined ? undefined : age(new Date(latest.atMs).toISOString(), now);
  const where = [
    ...(ago === undefined ? [] : [`${ago} ago`]),
    ...(latest.instance === "" ? [] : [`in ${truncate(visible(latest.instance), 80)}`]),
  ].join(" ");
  const last = where === "" ? [] : [words(`${count === 1 ? " " : ", the last "}${where}`)];
  const shown = latest.lines.slice(0, LINES).map((line) => truncate(line, LINE));
  const left = latest.lines.length - shown.length;
  const text = [...shown, ...(left > 0 ? [`… ${counted(left, "more line")}`] : [])].join("\n").trimEnd();
  return [section([strong(`${grouped(count)}×`), ...last]), preformatted(text)];
}

/** Errors of replaced instances aren't counted, but may explain what happened. */
function goneBlocks({ gone }: LogFindings): Block[] {
  if (gone?.worst === undefined) return [];
  const what = truncate(visible(gone.worst), CAUSE_MESSAGE);
  const errors = counted(gone.count, "error");
  const whose = gone.rolloutAgoMs === undefined ? "of instances that are gone" : "from before its last rollout";
  return [context(`Not counted: ${errors} ${whose}${gone.count > 1 ? ", most often" : ""}: ${what}`)];
}

function newestEntries(log: LogFindings): Block[] {
  const texts = logTexts(
    log.newest.flatMap(({ instance, lines }) => lines.map((text) => ({ instance, text, match: false }))),
  );
  const title = `No error in ${readWords(log)}. The newest:`;
  return texts.length === 0
    ? [context(`No error in ${readWords(log)}.`)]
    : [context(title), preformatted(newestPage(texts).text)];
}

const SHOWN = 5;
const EVENT_MESSAGE = 300;

/** https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/kubelet/events/event.go and those of its controllers. */
const wordsByReason: ReadonlyMap<string, string> = new Map([
  ["FailedMount", causeWords.volume.one],
  ["FailedAttachVolume", causeWords.volume.one],
  ["FailedMapVolume", causeWords.volume.one],
  ["FailedScheduling", causeWords.unschedulable.one],
  ["Evicted", "was evicted from its node"],
  ["Preempted", "made room for a more important workload"],
  ["TaintManagerEviction", "was removed from its node"],
  ["NodeNotReady", "lost its node"],
  ["FailedCreate", "couldn't create an instance"],
  ["FailedCreatePodSandBox", "couldn't be set up on its node"],
  ["FailedPostStartHook", "failed right after its start"],
  ["ErrImageNeverPull", "has no image on its node"],
  ["InspectFailed", "has an image that can't be read"],
  ["NetworkNotReady", "has no network on its node"],
]);

/** What an event comes to, after the name of what it is about. */
function eventWords({ reason, message }: Event): string {
  const known = wordsByReason.get(reason);
  if (known !== undefined) return known;
  const [, probe = ""] = /\b(liveness|readiness|startup) probe/iu.exec(message) ?? [];
  if (probe !== "" && reason === "Killing") return `was restarted because its ${probe.toLowerCase()} probe failed`;
  if (probe !== "" && reason === "Unhealthy") return `failed its ${probe.toLowerCase()} probe`;
  if (/\bpull(?:ing)?\b.*\bimage\b|ErrImagePull|ImagePullBackOff/iu.test(message)) return causeWords.image.one;
  if (reason === "BackOff") return "waits before it is started again";
  return reason;
}

/**
 * What the cluster reports of a workload, in words: their messages are text from outside, as a log is. Nothing for what its
 * status says already.
 */
function eventBlocks(found: Found, now: Date): Block[] {
  const { events_not_read: notRead } = workloadOf(found);
  const events = newEvents(found);
  const lines = events.slice(0, SHOWN).map((event) => eventLine(event, now));
  const more = events.length - SHOWN;
  return [
    ...listed(lines, { title: "Reported by the cluster:" }),
    ...(more > 0 ? [context(counted(more, "more event"))] : []),
    ...(notRead === undefined ? [] : [context(notRead)]),
  ];
}

/** "web-1 can't mount a volume, 12 times, the last 10 s ago: secret "db" not found". */
function eventLine(event: Event, now: Date): Line {
  const { object, message, count = 1, last_at: at } = event;
  const ago = age(at, now);
  const often = count > 1 ? `, ${counted(count, "time")}` : "";
  const when = ago === undefined ? "" : `, ${count > 1 ? "the last " : ""}${ago} ago`;
  return [
    ...(object === undefined ? [words("Several instances: ")] : [strong(object, 80), words(" ")]),
    words(`${eventWords(event)}${often}${when}: ${message}`, EVENT_MESSAGE),
  ];
}

/** Why the workload isn't well, as far as only an event says it. */
function eventCause(found: Found): string | undefined {
  const [event] = newEvents(found);
  return event && eventWords(event);
}

/** Whether its containers are restarted because of a probe, which its log may not show. */
function probeCause(found: Found): string | undefined {
  const killed = newEvents(found).find(({ reason, message }) => reason === "Killing" && /\bprobe\b/iu.test(message));
  const [, probe] = /\b(liveness|startup) probe/iu.exec(killed?.message ?? statusOf(found).reason ?? "") ?? [];
  return probe === undefined ? undefined : `its ${probe.toLowerCase()} probe fails`;
}

/** Without what the reason of its status says. */
function newEvents(found: Found): readonly Event[] {
  const { events = [] } = workloadOf(found);
  const { reason = "" } = statusOf(found);
  return events
    .filter(({ message }) => !reason.includes(message.replace(PASSED_ON, "").slice(0, SAID)))
    .toSorted((left, right) => Number(left.reason === "BackOff") - Number(right.reason === "BackOff"));
}

/** Long enough to be no accident. */
const SAID = 60;
const PASSED_ON = /^Error creating: /u;
