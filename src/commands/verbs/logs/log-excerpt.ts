import type { Ask } from "../../ask.ts";
import type { Excerpt } from "../../../logs/excerpt.ts";
import { context, preformatted, section } from "../../../views/kit/blocks.ts";
import { code, strong, words, type Inline } from "../../../views/kit/inline.ts";
import { logPages, logTexts, newestPage } from "../../../views/logs/pages.ts";
import type { Block, Message, Post, TextFile } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted, grouped, truncate, visible } from "../../../views/kit/text.ts";

export type LogExcerpt = {
  readonly workload: { readonly kind: "service" | "job"; readonly name: string };
  /** In the workload API's form: "2026.11.20". */
  readonly date: string;
  readonly zone: string;
  readonly excerpt: Excerpt;
  /** The command for older lines repeats its flags. */
  readonly ask: Ask;
  readonly command: string;
};

/** An excerpt of more pages becomes a file. */
const REPLIES = 3;

/**
 * A head line with the log lines in its thread, oldest first. Many lines become a file, with the first ones inline.
 * Without lines there is no thread.
 */
export function logExcerpt(log: LogExcerpt): Message {
  const { excerpt } = log;
  if (excerpt.lines.length === 0) return nothing(log);
  const texts = logTexts(excerpt.lines);
  const pages = logPages(texts);
  const thread = pages.length <= REPLIES ? { replies: replies(log, texts), files: [] } : asFile(log, texts);
  return { ...post(headText(log), head(log)), thread: { ...thread, alone: alone(log, texts) } };
}

function name({ workload }: LogExcerpt): string {
  return truncate(visible(workload.name), 255);
}

/** "2026.11.20 UTC · 100 lines · 3 match" */
function facts({ date, zone, excerpt }: LogExcerpt): string {
  const match = excerpt.matched === undefined ? [] : [`${grouped(excerpt.matched)} match`];
  const instance = excerpt.instance === undefined ? [] : [`instance ${visible(excerpt.instance)}`];
  return [`${date} ${zone}`, ...instance, counted(excerpt.read, "line"), ...match].join(" · ");
}

function headText(log: LogExcerpt): string {
  return `${name(log)} · ${facts(log)}`;
}

function head(log: LogExcerpt): Block[] {
  return [section([strong(name(log), 255), words(` · ${facts(log)}`)]), ...older(log), ...overlap(log)];
}

/** The command for older lines. The workload API only says that there may be some. */
function older(log: LogExcerpt): Block[] {
  const { excerpt } = log;
  if (!excerpt.mayHaveOlder) return [];
  return [section([words("There may be older lines: "), code(olderCommand(log), 600)])];
}

function olderCommand({ workload, date, excerpt, ask, command }: LogExcerpt): string {
  const { instance, grep, private: isPrivate } = ask.args;
  const flags = [
    `--date ${date}`,
    `--from ${excerpt.from + excerpt.size}`,
    `--size ${excerpt.size}`,
    ...(typeof instance === "string" ? [`--instance ${typed(instance)}`] : []),
    ...(typeof grep === "string" ? [`--grep ${typed(grep)}`] : []),
    ...(ask.region === undefined ? [] : [`--region ${typed(ask.region)}`]),
    ...(isPrivate === true ? ["--private"] : []),
  ];
  return `${command} logs ${workload.kind}/${workload.name} ${flags.join(" ")}`;
}

/** In quotes unless it is one plain word. */
function typed(value: string): string {
  return /^[\w.:/@-]+$/u.test(value) ? value : `"${value.replaceAll(/["\\]/gu, "\\$&")}"`;
}

function overlap({ excerpt }: LogExcerpt): Block[] {
  if (excerpt.overlap === 0) return [];
  const what = counted(excerpt.overlap, "line");
  return [context(`The newest ${what} stand on the page before this one too: new ones arrived between the two.`)];
}

function replies(log: LogExcerpt, texts: readonly string[]): Post[] {
  const pages = logPages(texts);
  return pages.map(({ text }, at) => {
    const part = pages.length === 1 ? "" : `, part ${at + 1} of ${pages.length}`;
    return post(`Log of ${name(log)}, ${log.date} ${log.zone}${part}`, [preformatted(text)]);
  });
}

function asFile(log: LogExcerpt, texts: readonly string[]): { replies: Post[]; files: TextFile[] } {
  const [first = { text: "", lines: 0 }] = logPages(texts);
  const file = `${name(log)
    .replaceAll(/[^\w.-]+/gu, "_")
    .slice(0, 80)}-${log.date.replaceAll(/[^\d.]/gu, "")}.log`;
  const said = `First ${grouped(first.lines)} of ${counted(texts.length, "line")}; all of them are in the file.`;
  return {
    replies: [post(`Log of ${name(log)}, ${log.date} ${log.zone}. ${said}`, [preformatted(first.text), context(said)])],
    files: [{ name: file, title: truncate(headText(log), 200), content: `${texts.join("\n")}\n` }],
  };
}

function alone(log: LogExcerpt, texts: readonly string[]): Post {
  const newest = newestPage(texts);
  const isAll = newest.lines === texts.length;
  const said = `The newest ${grouped(newest.lines)} of ${counted(texts.length, "line")}: more do not fit into one message.`;
  return post(`${headText(log)}${isAll ? "" : `. ${said}`}`, [
    ...head(log),
    preformatted(newest.text),
    ...(isAll ? [] : [context(said)]),
  ]);
}

/** "No lines on that day" and "no line matches" are different answers; neither is "no such workload". */
function nothing(log: LogExcerpt): Message {
  const { excerpt, ask } = log;
  const day = `on ${log.date} ${log.zone}`;
  const grep = typeof ask.args["grep"] === "string" ? [words(" "), code(ask.args["grep"], 200)] : [];
  const of = excerpt.instance === undefined ? "" : ` of its instance ${visible(excerpt.instance)}`;
  const where = excerpt.from > 0 ? `before the newest ${grouped(excerpt.from)} ` : "";
  const pieces: Inline[] =
    excerpt.matched === undefined || excerpt.read === 0
      ? [strong(name(log), 255), words(` has no lines${of} ${where}${day}.`)]
      : [
          words(`No line of `),
          strong(name(log), 255),
          words(` matches`),
          ...grep,
          words(
            `: ${counted(excerpt.read, "line")}${of} ${where}${day} ${excerpt.read === 1 ? "was" : "were"} searched.`,
          ),
        ];
  const spoken = pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
  return post(spoken, [section(pieces), ...older(log)]);
}
