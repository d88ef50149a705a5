import { z } from "zod";
import type { HistoryQuery, HistoryEvent } from "../../changes/history-event.ts";
import { Since, sinceMoment, Target, wholeNumber } from "../grammar/argument-types.ts";
import { readVerb } from "../grammar/verb.ts";
import { type FormField, type FormOption, type FormValues, workloadField, tick } from "../forms/form.ts";
import type { Command, HistoryRows, ReadCommand, VerbContext } from "../command.ts";
import { actions, askButton, listed, section } from "../../views/kit/blocks.ts";
import { words, strong } from "../../views/kit/inline.ts";
import { type Message, post } from "../../views/kit/post.ts";
import { counted, truncate, visible } from "../../views/kit/text.ts";
import type { Ask } from "../../ask.ts";
import { historyLine, type HistoryLineContext, historyText } from "../../views/cards/history-line.ts";

/** Slack sends a person as `<@U0DANA|dana>`: docs.slack.dev/interactivity/implementing-slash-commands. */
const Person = z
  .string()
  .max(200)
  .transform((typed, context) => {
    const [, id] = /^<@([UW][A-Z0-9]{2,20})(?:\|[^>]*)?>$/u.exec(typed) ?? [];
    if (id !== undefined) return id;
    context.addIssue(`“${typed}” isn't a person. Type @ after --by and pick one from Slack's list.`);
    return z.NEVER;
  });

/** The verbs that history records: all that change something. */
function recorded(commands: readonly Command[]): string[] {
  const effects = ["write", "watch", "bind", "link"];
  return commands.filter(({ effect }) => effects.includes(effect)).map(({ name }) => name);
}

/** `restart,stop` */
function verbsOf(commands: () => readonly Command[]) {
  return z
    .string()
    .max(200)
    .transform((typed, context) => {
      const verbs = typed.split(",").map((each) => each.trim().toLowerCase());
      const known = recorded(commands());
      const wrong = verbs.find((each) => !known.includes(each));
      if (wrong === undefined) return verbs;
      context.addIssue(`History has no “${wrong}”. Use some of ${known.join(", ")}.`);
      return z.NEVER;
    });
}

const Args = (commands: () => readonly Command[]) =>
  z.object({
    name: Target.optional(),
    by: Person.optional(),
    verb: verbsOf(commands).optional(),
    since: Since.optional(),
    before: wholeNumber("--before", { from: 1, to: 999_999_999 }).optional(),
    /** Only in buttons: where earlier pages begin. */
    trail: z.array(z.number().int().min(0)).max(100).default([]),
    json: z.boolean().default(false),
    last: z.boolean().default(false),
  });
type Args = z.output<ReturnType<typeof Args>>;

const A_DAY = "day";

const periods: readonly FormOption[] = [
  { value: "30m", text: "30 minutes" },
  { value: "1h", text: "1 hour" },
  { value: "12h", text: "12 hours" },
  { value: "1d", text: "1 day" },
  { value: "7d", text: "7 days" },
  { value: "2w", text: "2 weeks" },
  { value: "4w", text: "4 weeks" },
  { value: A_DAY, text: "Since a date" },
];

const dayField: FormField = {
  id: A_DAY,
  label: "Date",
  hint: "From 00:00 UTC.",
  input: { kind: "date" },
};

function fields({ since }: FormValues, verbs: readonly string[]): FormField[] {
  return [
    { ...workloadField, hint: "Default: all workloads." },
    { id: "by", label: "Person", hint: "Default: everybody.", input: { kind: "person" } },
    {
      id: "verb",
      hint: "Default: everything.",
      label: "Commands",
      isMore: true,
      input: { kind: "choices", options: verbs.map((verb) => ({ value: verb, text: verb })) },
    },
    {
      id: "since",
      hint: "Default: all history.",
      label: "Period",
      redraws: true,
      input: { kind: "choice", style: "menu", options: periods },
    },
    ...(since === A_DAY ? [dayField] : []),
    tick("json", "File", "Every step, up to 1,000 rows"),
  ];
}

/** Takes a function because the list of verbs holds this verb. */
export function historyCommand(commands: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "history",
    summary: "Show requests and their outcomes, newest first",
    usage: "history [NAME] [--by @user] [--verb restart] [--since 7d] [--json]",
    example: "history web --since 7d",
    question: { label: "Show history of" },
    aliases: ["audit"],
    near: ["events", "activity", "changes"],
    phrases: [
      [
        "who [is] [any] (DONE|VERB|EVENT|changed|broke) [up|down] NAME [to] [COUNT|IMAGE]|who STATUS NAME|who (DONE|changed) (VERB|EVENT) NAME|EVENT NAME",
        "history NAME --verb DID --since DAY --since SINCE LAST",
      ],
      [
        "when is (DONE|VERB|EVENT|changed) NAME|is [any] DONE NAME|is any VERB NAME",
        "history NAME --verb DID --since DAY --since SINCE LAST",
      ],
      [
        "(who|what|any|who what|who any|what any) [is] (DONE|changed|set|happened)|(what|who what) is finished|who is what",
        "history --verb DID --since DAY --since SINCE",
      ],
      ["(what|any) [is] (changed|set|finished) NAME", "history NAME --since DAY --since SINCE"],
      ["what [is] (happened|going) NAME", "history NAME --since DAY --since SINCE"],
      ["what is PERSON [changed|finished]", "history --by PERSON --since DAY --since SINCE"],
      ["history [NAME]", "history NAME --since DAY --since SINCE"],
      ["why is request [bad|DONE]|is VERB finished", "history"],
      ["show versions", "history --verb deploy,rollback --since DAY --since SINCE"],
    ],
    flags: {
      by: { value: "@user", summary: "only requests that this person made or decided" },
      verb: { value: "VERB", summary: "only these commands, such as restart or deploy,rollback" },
      since: { value: "T", summary: "30m, 12h, 7d, 2w, today, yesterday or a day such as 2026-11-20 (from 00:00 UTC)" },
      last: { summary: "only the newest one", isInternal: true },
      before: { value: "N", summary: "only rows before this number of the file" },
      json: { summary: "every step as a file of up to 1,000 rows, sent only to you" },
    },
    words: { name: "[NAME]" },
    args: Args(commands),
    form: {
      title: "Show history",
      submit: "Show",
      fields: (values) => fields(values, recorded(commands())),
      // The form's period and day are one argument.
      toArgs({ since, [A_DAY]: day, ...raw }) {
        const from = since === A_DAY ? day : since;
        return from === undefined ? raw : { ...raw, since: from };
      },
    },
    async answer(args, { records, account, ask, defaultRegion, now }) {
      const page = { ask, now, defaultRegion, account: account.username, trail: args.trail };
      const query = queryOf(args, now);
      if (args.json)
        return historyFile({ ...page, ...(await records.history({ ...query, limit: HISTORY_FILE_ROWS })) });
      const limit = args.last ? 1 : HISTORY_PAGE;
      return historyPage({ ...page, ...(await records.history({ ...query, show: "outcomes", limit })) });
    },
  });
}

/** Rows of both kinds are shown for `service/web`: each line names its kind. */
function queryOf({ name, by, verb, since, before }: Args, now: Date): Omit<HistoryQuery, "teamId" | "limit"> {
  return {
    ...(name !== undefined && { workload: { name: name.name, account: undefined } }),
    ...(by !== undefined && { userId: by }),
    ...(verb !== undefined && { verbs: verb }),
    ...(since !== undefined && { since: sinceMoment(since, now) }),
    ...(before !== undefined && { before }),
  };
}

/** How many events one file holds. */
const HISTORY_FILE_ROWS = 1000;

/** Every step as a file for the asker alone. */
export function historyFile(page: HistoryPage): Message {
  const { events, older, ask, now } = page;
  if (events.length === 0) return historyPage(page);
  const title = `${historyTitle(ask)} · ${counted(events.length, "row")}`;
  const next = older === undefined ? undefined : askButton("Next file", withArgs(ask, { json: true, before: older }));
  const name = `gantry-history-${now.toISOString().slice(0, 10)}.json`;
  const content = `${JSON.stringify(events.map(row), undefined, 2)}\n`;
  const sorry = "Couldn't send the file: Slack didn't accept it. Try again in a minute.";
  const instead = actions(askButton("Try again", ask), askButton("Show here", withArgs(ask, {})));
  return {
    ...post(title, [section([words(title)]), ...actions(next)]),
    thread: {
      isPrivate: true,
      replies: [],
      files: [{ name, title: truncate(title, 200), content }],
      alone: post(sorry, [section(sorry), ...instead]),
    },
  };
}

/** An event for programs: every field, null when unknown. Field names are an interface and must not change. */
function row(event: HistoryEvent) {
  const { seq, at, kind, changeId, who, channelId, verb, workload, account, rule, breakGlass, result } = event;
  return {
    number: seq,
    at: at.toISOString(),
    event: kind,
    change: changeId ?? null,
    who: who === undefined ? null : { id: who.userId, name: who.name },
    channel: channelId ?? null,
    verb: verb ?? null,
    workload: workload ?? null,
    account: account ?? null,
    rule: rule ?? null,
    break_glass: breakGlass,
    result,
    elapsed_ms: event.elapsedMs ?? null,
    reference: event.reference ?? null,
  };
}

/** How many events one message shows. */
const HISTORY_PAGE = 20;

type HistoryPage = HistoryRows &
  Pick<VerbContext, "ask" | "now" | "defaultRegion"> & {
    /** `args.before` of the pages in front of this one, newest first; 0 is the first page. */
    readonly trail: readonly number[];
    /** Rows of other accounts name theirs. */
    readonly account: string;
  };

/** One page of outcomes, newest first, with buttons for other pages and for every step as a file. */
export function historyPage(page: HistoryPage): Message {
  const { ask, now, defaultRegion, account } = page;
  const events = page.events.slice(0, HISTORY_PAGE);
  const drawing: HistoryLineContext = { now, defaultRegion, account, detail: "full" };
  const [newest] = events;
  if (newest === undefined) return nothingFound(page);
  if (ask.args["last"] === true) {
    const all = askButton("History", withArgs(ask, {}));
    return post(historyText(newest, drawing), [section(historyLine(newest, drawing)), ...actions(all)]);
  }
  const title = historyTitle(ask);
  return post([title, ...events.map((event) => historyText(event, drawing))].join("\n"), [
    section([strong(title)]),
    ...listed(events.map((event) => historyLine(event, drawing))),
    ...actions(...turns(page), askButton("Every step as a file", withArgs(ask, { json: true }))),
  ]);
}

/** Names the filters, because one of them may be the reason. */
function nothingFound(page: HistoryPage): Message {
  const { ask } = page;
  const set = filtersOf(ask);
  const sentence =
    set.length === 0
      ? "Nothing has happened yet. Requests and their outcomes appear here."
      : `No requests found ${set.join(", ")}.`;
  const all = set.length === 0 ? undefined : askButton("Show all", { ...ask, args: {} });
  return post(sentence, [section([words(sentence)]), ...actions(...turns(page), all)]);
}

/** Newer and older pages. Events that come in meanwhile move no page, because a page begins at an event. */
function turns({ ask, older, trail }: HistoryPage) {
  const [newer, ...others] = trail;
  const { before } = ask.args;
  const here = typeof before === "number" ? before : 0;
  return [
    newer === undefined ? undefined : askButton("Newer", withArgs(ask, pageArgs(newer, others))),
    older === undefined ? undefined : askButton("Older", withArgs(ask, pageArgs(older, [here, ...trail]))),
  ];
}

/** Enough to turn back; a longer trail would not fit into a button. */
const MOST_PAGES = 50;

function pageArgs(before: number, trail: readonly number[]): Ask["args"] {
  const kept = trail.slice(0, MOST_PAGES);
  return { ...(before > 0 && { before }), ...(kept.length > 0 && { trail: kept }) };
}

/** The same filters, with other arguments. */
function withArgs(ask: Ask, more: Ask["args"]): Ask {
  const { before: _before, trail: _trail, json: _json, last: _last, ...args } = ask.args;
  return { ...ask, args: { ...args, ...more } };
}

/** "for web", "by dana", "limited to restart", "since 7d". */
function filtersOf({ args }: Ask): string[] {
  const part = (name: string, say: (value: string) => string): string[] => {
    const value = args[name];
    return typeof value === "string" ? [say(truncate(visible(value), 80))] : [];
  };
  return [
    ...part("name", (name) => `for ${name}`),
    ...part("by", (by) => `by ${/^<@[A-Z0-9]+\|([^>]+)>$/u.exec(by)?.[1] ?? by.replaceAll(/[<>@]/gu, "")}`),
    ...part("verb", (verb) => `limited to ${verb.replaceAll(/,\s*/gu, ", ")}`),
    ...part("since", (since) => `since ${since}`),
  ];
}

/** "History for web · by dana · since 7d · newest first" */
function historyTitle(ask: Ask): string {
  const [first, ...others] = filtersOf(ask);
  return [first === undefined ? "History" : `History ${first}`, ...others, "newest first"].join(" · ");
}
