import type { HistoryEventKind, HistoryEvent } from "../../changes/history-event.ts";
import { truncate, visible } from "./text.ts";

/** The start of each sentence. `what` is the action, such as "scale service web". */
const openings: Readonly<Record<HistoryEventKind, (who: string, what: string) => string>> = {
  requested: (who, what) => `${who} asked to ${what}`,
  refused: (who, what) => `🚫 ${who} was not allowed to ${what}`,
  voted: (who, what) => `${who} voted to ${what}`,
  "vote-refused": (who, what) => `${who} could not vote to ${what}`,
  approved: (_who, what) => `Approved: ${what}`,
  returned: (_who, what) => `Needs approval again: ${what}`,
  rejected: (who, what) => `🚫 ${who} rejected ${what}`,
  cancelled: (who, what) => `${who} took back ${what}`,
  expired: (_who, what) => `Expired: ${what}`,
  drifted: (_who, what) => `Did not run, because the workload had changed: ${what}`,
  claimed: (_who, what) => `Began: ${what}`,
  done: (_who, what) => `✅ Done: ${what}`,
  failed: (_who, what) => `❌ Failed: ${what}`,
  unknown: (_who, what) => `❓ Cannot tell whether it took effect: ${what}`,
  health: (_who, what) => `Afterwards: ${what}`,
  connected: (who) => `${who} linked an account`,
  disconnected: (who) => `${who} unlinked an account`,
  bound: (who) => `${who} bound a channel`,
  unbound: (who) => `${who} unbound a channel`,
};

/** Results that only repeat the event's kind. */
const redundant: Readonly<Partial<Record<HistoryEventKind, string>>> = {
  voted: "approved it",
  approved: "has the votes it needs",
  cancelled: "by who asked",
  claimed: "sent to the service",
  done: "took effect",
};

/** One line about a history event. Foreign text is truncated and made visible. Pure. */
export function historyLine(event: HistoryEvent): string {
  const { kind, who, verb, workload, result, changeId, breakGlass, reference } = event;
  const action = [verb ?? "something", workload?.kind, workload?.name].filter((part) => part !== undefined).join(" ");
  const isRedundant = result === "" || result === redundant[kind];
  const what = short(action, 90);
  // Accepted, but not seen to take effect: the result says why.
  const isAccepted = kind === "done" && !isRedundant;
  const begin = isAccepted ? `📨 Accepted: ${what}` : openings[kind](short(who?.name ?? "Gantry", 40), what);
  const glass = breakGlass ? "🚨 " : "";
  const came = isRedundant ? "" : `: ${short(result, 140)}`;
  return `${glass}${begin}${came}${tag(changeId, reference)}`;
}

/** The ids to find it: of the change, and in the log. */
function tag(changeId: string | undefined, reference: string | undefined): string {
  const change = changeId === undefined ? [] : [short(changeId, 10)];
  const logged = reference === undefined ? [] : [`reference ${short(reference, 20)}`];
  const all = [...change, ...logged];
  return all.length === 0 ? "" : ` (${all.join(", ")})`;
}

function short(text: string, max: number): string {
  return truncate(visible(text.replaceAll(/\s*\n\s*/gu, ", ")), max);
}
