import { logDayLine } from "../../../views/logs/day-line.ts";
import { section } from "../../../views/kit/blocks.ts";
import { code, strong, words, type Inline } from "../../../views/kit/inline.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted, grouped, visible } from "../../../views/kit/text.ts";
import { logButtons } from "./log-buttons.ts";
import { dayWords, type LogExcerpt, logName } from "./log-words.ts";

/** "No lines today" and "no line matches" are different answers; neither is "no such workload". */
export function emptyLog(log: LogExcerpt): Message {
  const pieces = whyEmpty(log);
  const spoken = pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
  const isPrivate = log.ask.args["private"] === true;
  return post(spoken, [section([words("📄 "), ...pieces], logDayLine(log.day)), ...logButtons(log, { isPrivate })]);
}

function whyEmpty(log: LogExcerpt): Inline[] {
  const { excerpt, ask, since } = log;
  const name = strong(logName(log), 255);
  const { grep } = ask.args;
  const of = excerpt.instance === undefined ? "" : ` from instance ${visible(excerpt.instance)}`;
  const before = excerpt.from > 0 && since === undefined ? ` before the last ${grouped(excerpt.from)}` : "";
  const when = dayWords(log);
  if (excerpt.matched === undefined || excerpt.read === 0) {
    if (since !== undefined) return [name, words(` has no new log lines${of} since that page.`)];
    return [
      name,
      words(` has no log lines${of}${before} ${when === "today" || when === "yesterday" ? when : `on ${when}`}.`),
    ];
  }
  const searched =
    since === undefined ? `${counted(excerpt.read, "line")}${of}${before}` : counted(excerpt.read, "new line");
  return [
    words("Nothing in the logs of "),
    name,
    words(" matches"),
    ...(typeof grep === "string" ? [words(" "), code(grep, 200)] : []),
    words(`. Searched ${searched} of ${when}.`),
  ];
}
