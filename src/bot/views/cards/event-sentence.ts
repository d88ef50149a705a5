import type { HistoryEvent } from "../../changes/history-event.ts";
import { isUnconfirmed } from "../kit/health.ts";
import { short } from "../kit/request-words.ts";
import { lower } from "../kit/text.ts";
import { operationOf, verbWords } from "../kit/verb-words.ts";
import { type Phrased, phraseText } from "./phrases.ts";

/** What happened, without by whom and when: "Scaled web to 3". */
export type Sentence = {
  readonly mark: string;
  readonly text: string;
  /** "by Dana Reyes", "automatic". */
  readonly by?: string | undefined;
  /** More that belongs to it, shown as far as there is room, the most important first. */
  readonly facts?: readonly string[];
};

const TEXT = 140;
const PERSON = 20;

/** Of a row of history without its request: it says less, and guesses nothing. Pure. */
export function eventSentence(event: HistoryEvent, defaultRegion: string): Sentence {
  const { kind, who } = event;
  // Rows without a person are the bot's own.
  const by = `by ${short(who?.name ?? "Gantry", PERSON)}`;
  const title = titleOf(event, defaultRegion);
  const say = (form: Parameters<typeof phraseText>[1]): string => phraseText(phrasedOf(event), form, defaultRegion);
  switch (kind) {
    case "done":
      return isUnconfirmed(event)
        ? { mark: "🟡", text: `${say("accepted")}${after(event)}` }
        : { mark: "✅", text: say("did") };
    case "failed":
      if (event.workload === undefined) break;
      return { mark: "❌", text: `${say("failed")}${after(event)}` };
    case "unknown":
      return { mark: "❓", text: `Can't tell whether ${say("unsure")}` };
    case "rejected":
      return { mark: "🚫", text: `Rejected: ${title}`, by };
    case "cancelled":
      return { mark: "🚫", text: `Cancelled: ${title}`, by };
    case "expired":
      return { mark: "⌛", text: `Expired: ${title}` };
    case "drifted":
      return { mark: "⚠️", text: `Not run: ${title}, because it changed meanwhile` };
    case "refused":
      return { mark: "🚫", text: `Refused: ${title}`, by: `asked ${by}`, facts: ruleOf(event) };
    case "watched":
      return { mark: "🔔", text: `Began to watch ${target(event)}`, by };
    case "unwatched":
      return { mark: "🔕", text: `Stopped watching ${target(event)}`, by };
    case "muted":
      return { mark: "🔕", text: `Muted ${target(event)}`, by };
    case "unmuted":
      return { mark: "🔔", text: `Unmuted ${target(event)}`, by };
    case "taken":
      return { mark: "👋", text: `Took care of ${target(event)}`, by };
    case "handed-over":
      return { mark: "👋", text: `Handed over ${target(event, " ")}`, by };
    case "released":
      return { mark: "👋", text: `No longer takes care of ${target(event)}`, by };
    case "connected":
      return { mark: "🔑", text: `Connected ${accountOf(event)}`, by };
    case "disconnected":
      return { mark: "🔑", text: `Disconnected ${accountOf(event)}`, by };
    case "bound":
      return { mark: "📌", text: `Set up a channel${after(event)}`, by };
    case "unbound":
      return { mark: "📌", text: "Removed the binding of a channel", by };
    case "installed":
      return { mark: "➕", text: "Installed Gantry in this workspace" };
    case "uninstalled":
      return { mark: "➖", text: `Removed Gantry from this workspace${after(event)}` };
    case "erased":
      return { mark: "➖", text: `Erased the data of ${short(event.result, 40)}` };
    default:
      if (event.workload === undefined) break;
      return { mark: "⏳", text: `Asked to ${title}${after(event)}`, by: kind === "requested" ? by : undefined };
  }
  return { mark: "❌", text: `Failed to run ${short(event.verb ?? "", 20)}${after(event)}`, by };
}

const readWords: Readonly<Record<string, string>> = {
  logs: "read logs of",
  show: "see",
  why: "see",
  list: "list workloads",
  watch: "watch",
  unwatch: "stop watching",
  mute: "mute",
  unmute: "unmute",
  use: "set up a channel",
};

/** "scale web", "read logs of web". */
function titleOf(event: HistoryEvent, defaultRegion: string): string {
  const { verb = "", workload } = event;
  const phrased = phrasedOf(event);
  const isWrite = verbWords(verb) !== undefined || phrased.op !== "updateService";
  if (isWrite) return lower(phraseText(phrased, "title", defaultRegion)).trim();
  const what = Object.hasOwn(readWords, verb) ? readWords[verb] : `use ${short(verb, 20)}${workload ? " on" : ""}`;
  return workload === undefined ? (what ?? "") : `${what} ${workload.name}`;
}

/** By its verb: the row doesn't have the operation. */
function phrasedOf({ verb = "", workload }: HistoryEvent): Phrased {
  const { name = "", region = "", kind } = workload ?? {};
  const isJob = kind === "job";
  return {
    op: operationOf(verb, isJob),
    verb,
    diff: [],
    workload: { kind: isJob ? "job" : "service", region, name, uid: undefined },
  };
}

/** The workload's name; a pattern is none, and the result begins with it. */
function target({ workload, result }: HistoryEvent, before = ": "): string {
  if (workload === undefined) return short(result, TEXT);
  return `${workload.name}${result === "" ? "" : `${before}${whyText(result)}`}`;
}

function accountOf({ account }: HistoryEvent): string {
  return account === undefined ? "an account" : `the account ${short(account, 40)}`;
}

function ruleOf({ rule }: HistoryEvent): string[] {
  return rule === undefined ? [] : [`policy: ${short(rule, TEXT)}`];
}

/** Its result after a colon. */
function after({ result }: HistoryEvent): string {
  return result === "" ? "" : `: ${whyText(result)}`;
}

/** A sentence as it reads after a colon. */
export function whyText(text: string): string {
  const inside = text.replace(/^(?:The|This|It|No|Not|An?|Accepted)\b/u, lower);
  return short(inside, TEXT).replace(/\.$/u, "");
}
