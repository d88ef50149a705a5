import type { LogEntry } from "../../../logs/entries.ts";
import type { Failure, LogFindings } from "../../../logs/failures.ts";
import { context, preformatted, section } from "../../../views/kit/blocks.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import type { Block } from "../../../views/kit/message.ts";
import { counted, grouped, truncate, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import { readWords } from "../../../views/logs/log-findings.ts";
import { logTexts, newestPage } from "../../../views/logs/pages.ts";
import type { LogLook } from "../../lookup/log-look.ts";

const KINDS = 3;
/** Of a stack trace, its head: the rest is in the log. */
const LINES = 6;
const LINE = 200;

/**
 * What a log reports: each error once, with its number and its newest entry, or the newest entries without any. Undefined
 * for somebody who may not read it.
 */
export function failureBlocks(log: LogLook, now: Date): Block[] | undefined {
  if (log === undefined) return undefined;
  if (log === "unread") return [context("Couldn't read the log. Try Logs.")];
  if (log.read === 0) return [context("The log has no lines today.")];
  const { failures } = log;
  if (failures.length === 0) return newestEntries(log);
  const others = failures.slice(KINDS).reduce((sum, { count }) => sum + count, 0);
  const more = others === 0 ? "" : ` · ${counted(others, "other error")}`;
  return [
    ...failures.slice(0, KINDS).flatMap((failure) => failureBlock(failure, now)),
    context(`From ${readWords(log)}${more}`),
  ];
}

/** "18× last 14 s ago in web-1", and the newest one. */
function failureBlock({ count, latest }: Failure, now: Date): Block[] {
  const ago = latest.atMs === undefined ? undefined : age(new Date(latest.atMs).toISOString(), now);
  const where = [
    ...(ago === undefined ? [] : [`${ago} ago`]),
    ...(latest.instance === "" ? [] : [`in ${truncate(visible(latest.instance), 80)}`]),
  ].join(" ");
  const last = where === "" ? [] : [words(`${count === 1 ? " " : ", last "}${where}`)];
  return [section([strong(`${grouped(count)}×`), ...last]), preformatted(headOf(latest))];
}

function headOf({ lines }: LogEntry): string {
  const shown = lines.slice(0, LINES).map((line) => truncate(line, LINE));
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… ${counted(left, "more line")}`] : [])].join("\n").trimEnd();
}

function newestEntries(log: LogFindings): Block[] {
  const texts = logTexts(log.newest.map(({ instance, lines }) => ({ instance, text: lines.join("\n"), match: false })));
  const title = `No error in ${readWords(log)}. The newest:`;
  return texts.length === 0
    ? [context(`No error in ${readWords(log)}.`)]
    : [context(title), preformatted(newestPage(texts).text)];
}
