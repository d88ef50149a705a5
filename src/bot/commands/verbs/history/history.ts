import { z } from "zod";
import type { HistoryQuery } from "../../../changes/history-event.ts";
import { HISTORY_FILE_ROWS, historyFile } from "./history-file.ts";
import { HISTORY_PAGE, historyPage } from "./history-page.ts";
import { historyForm } from "./form.ts";
import { Since, sinceMoment } from "./since.ts";
import { Target } from "../../grammar/target.ts";
import { readVerb } from "../../grammar/verb.ts";
import { wholeNumber } from "../../grammar/argument-types.ts";

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

const Args = z.object({
  name: Target.optional(),
  by: Person.optional(),
  since: Since.optional(),
  before: wholeNumber("--before", { from: 1, to: 999_999_999 }).optional(),
  /** Only in buttons: where earlier pages begin. */
  trail: z.array(z.number().int().min(0)).max(100).default([]),
  json: z.boolean().default(false),
});
type Args = z.output<typeof Args>;

export const history = readVerb({
  name: "history",
  summary: "Show requests and their outcomes, newest first",
  usage: "history [NAME] [--by @user] [--since 7d] [--json]",
  example: "history web --since 7d",
  aliases: ["audit"],
  near: ["events", "activity", "changes"],
  phrases: [
    ["who DID NAME[ last][ (DAY|SINCE)]", "history NAME --since DAY --since SINCE"],
    [
      "who (changed|did|approved|restarted|deleted) (what|something|anything)[ (DAY|SINCE)]",
      "history --since DAY --since SINCE",
    ],
    [
      "what (has |was |have we |did (we|people|they|somebody) |)(changed|change|happened|done|did|do|deployed)[ here][ (DAY|SINCE)]",
      "history --since DAY --since SINCE",
    ],
    [
      "what (has |was |)(changed|done) (in|on|with|about|for|to) NAME[ (DAY|SINCE)]",
      "history NAME --since DAY --since SINCE",
    ],
    [
      "(did (anything|something)|has (anything|something)) (change|changed|happen|happened)[ (DAY|SINCE)]",
      "history --since DAY --since SINCE",
    ],
    ["when was NAME [last ](changed|restarted|scaled|stopped|started|deployed|created|touched)", "history NAME"],
    ["SHOW[(last|latest|recent|all) ]EVENTS[ (DAY|SINCE)]", "history --since DAY --since SINCE"],
    [
      "SHOW[(last|latest|recent|all) ]EVENTS (of|for|to|on|in|about) NAME[ (DAY|SINCE)]",
      "history NAME --since DAY --since SINCE",
    ],
    ["SHOWNAME('s|) EVENTS[ (DAY|SINCE)]", "history NAME --since DAY --since SINCE"],
    ["(DAY)('s|) EVENTS", "history --since DAY"],
  ],
  flags: {
    by: { value: "@user", summary: "only requests that this person made or decided" },
    since: { value: "T", summary: "30m, 12h, 7d, 2w, today, yesterday or a day such as 2026-11-20 (from 00:00 UTC)" },
    before: { value: "N", summary: "only rows before this number of the file" },
    json: { summary: "every step as a file of up to 1,000 rows, sent only to you" },
  },
  words: { name: "[NAME]" },
  args: Args,
  form: historyForm,
  async answer(args, { records, ask, defaultRegion, now }) {
    const page = { ask, now, defaultRegion, trail: args.trail };
    const query = queryOf(args, now);
    if (args.json) return historyFile({ ...page, ...(await records.history({ ...query, limit: HISTORY_FILE_ROWS })) });
    return historyPage({ ...page, ...(await records.history({ ...query, show: "outcomes", limit: HISTORY_PAGE })) });
  },
});

/** Rows of both kinds are shown for `service/web`: each line names its kind. */
function queryOf({ name, by, since, before }: Args, now: Date): Omit<HistoryQuery, "teamId" | "limit"> {
  return {
    ...(name !== undefined && { name: name.name }),
    ...(by !== undefined && { userId: by }),
    ...(since !== undefined && { since: sinceMoment(since, now) }),
    ...(before !== undefined && { before }),
  };
}
