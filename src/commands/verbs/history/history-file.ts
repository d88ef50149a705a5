import type { HistoryEvent } from "../../../changes/history-event.ts";
import { context, section } from "../../../views/kit/blocks.ts";
import { code, words } from "../../../views/kit/inline.ts";
import { HISTORY_PAGE, historyPage, historyTitle, type HistoryPage } from "./history-page.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted, truncate } from "../../../views/kit/text.ts";

/** How many events one file holds. */
export const HISTORY_FILE_ROWS = 1000;

/** The events as a file for the asker alone; if the bot can't send it, the first of them as a message. */
export function historyFile(page: HistoryPage & { readonly now: Date }): Message {
  const { events, older: goOn, ask, command, now } = page;
  const { json: _json, ...args } = ask.args;
  const inMessage = historyPage({
    ...page,
    events: events.slice(0, HISTORY_PAGE),
    older: events.length > HISTORY_PAGE ? events[HISTORY_PAGE - 1]?.seq : goOn,
    ask: { ...ask, args },
  });
  if (events.length === 0) return inMessage;
  const title = `${historyTitle(ask)} · ${counted(events.length, "event")}`;
  const older =
    goOn === undefined
      ? []
      : [
          section([
            words("There are older ones: "),
            code(`${command} history --json --before ${goOn}`, 120),
            words(" with the same filters."),
          ]),
        ];
  const name = `gantry-history-${now.toISOString().slice(0, 10)}.json`;
  const content = `${JSON.stringify(events.map(row), undefined, 2)}\n`;
  const sorry = "Slack did not take the file into your conversation with Gantry. Try again in a minute.";
  return {
    ...post(title, [section(title), ...older]),
    thread: {
      isPrivate: true,
      replies: [],
      files: [{ name, title: truncate(title, 200), content }],
      alone: post(`${inMessage.text}\n${sorry}`, [...inMessage.blocks, context(sorry)]),
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
