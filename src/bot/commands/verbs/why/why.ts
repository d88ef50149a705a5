import type { Button } from "@slack/types";
import { z } from "zod";
import type { HistoryEvent, HistoryEventKind } from "../../../changes/history-event.ts";
import { readOr } from "../../../errors.ts";
import { historyLine } from "../../../views/cards/history-line.ts";
import type { Command, ReadCommand, VerbContext } from "../../command.ts";
import { workloadField } from "../../forms/form.ts";
import { Target } from "../../grammar/argument-types.ts";
import { readVerb } from "../../grammar/verb.ts";
import { findListed, type Found, nameOf, statusOf } from "../../lookup/find.ts";
import type { LogCheck } from "../show/verdict.ts";
import { isTakenBack } from "../show/card-buttons.ts";
import { factsOf, workloadCard } from "../show/show.ts";
import type { Failure, LogFindings } from "../../../logs/failures.ts";
import { counted, grouped, truncate, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import { readWords, logTexts, newestPage } from "../../../views/kit/log-text.ts";
import { askButton, context, listed, preformatted, section, type Block } from "../../../views/kit/blocks.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import { eventBlocks } from "./events.ts";
import { verdictOn } from "./why-verdict.ts";

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
        step: crashLogButton(found, verbContext),
        // The details say more than the last change.
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

/** The run that crashed says more than the one that just began. Undefined where another step helps more. */
function crashLogButton(found: Found, { ask }: VerbContext): Button | undefined {
  if (found.kind === "job" || statusOf(found).facts === undefined || isTakenBack(found.service)) return undefined;
  const args = { name: `service/${nameOf(found)}`, previous: true };
  return askButton("Log before the crash", { verb: "logs", region: found.region, share: ask.share, args });
}

const CAUSE_MESSAGE = 120;
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

/** "18×, the last 14s ago in web-1", and the newest one. */
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
