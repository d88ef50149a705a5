import type { HistoryEvent } from "../../../changes/history-event.ts";
import { actions, askButton, section } from "../../../views/kit/blocks.ts";
import { words } from "../../../views/kit/inline.ts";
import { historyPage, historyTitle, type HistoryPage, withArgs } from "./history-page.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted, truncate } from "../../../views/kit/text.ts";

/** How many events one file holds. */
export const HISTORY_FILE_ROWS = 1000;

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
