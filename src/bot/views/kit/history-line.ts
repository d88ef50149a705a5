import type { HistoryEvent, HistoryEventKind } from "../../changes/history-event.ts";
import type { StoredChange, ChangeState, Health } from "../../changes/stored-change.ts";
import { section } from "./blocks.ts";
import { type Inline, moment, strong, words } from "./inline.ts";
import { plainTextOf } from "./post.ts";
import { shortAge } from "./time.ts";
import {
  acceptedWords,
  isFollowed,
  seenOf,
  isUnconfirmed,
  overtakenDot,
  overtakenWords,
  type DoneState,
  doneState,
  retreatOf,
  retreatWords,
  troubleFacts,
  unseenOf,
} from "./health.ts";
import { counted, truncate, visible, lower } from "./text.ts";
import { changesOf, verbWords, wordsOf } from "./verb-words.ts";
import { shortDigests } from "../../../api/image.ts";

export type HistoryLineContext = {
  /** For its age. Undefined for a message that is never redrawn: its lines have a date. */
  readonly now?: Date;
  readonly defaultRegion: string;
  /** Rows of other accounts name theirs. Undefined where all are of one account. */
  readonly account?: string;
  /** `brief` only names the requester; `full` also says why they asked and who approved. */
  readonly detail: "brief" | "full";
  /** The message shows the workload's status itself, so the line leaves it out. */
  readonly isHealthSaid?: true;
  readonly room?: Room;
};

const ROOM: Room = { name: 63, person: 40, text: 140 };
/** More than the room of all parts together. */
const PIECE = 1_000;

/** "✅ *web* scaled 2 → 3 · requested by Dana, approved by Alex · 5m ago". Foreign text is cut and made visible. Pure. */
export function historyLine(event: HistoryEvent, context: HistoryLineContext): Inline[] {
  const { room = ROOM, now, isHealthSaid = false } = context;
  const deed = isHealthSaid ? deedPhrase(event, room) : undefined;
  const { dot, before, after } = now === undefined ? lastingPhrase(event, deed, room) : (deed ?? phraseOf(event, room));
  const parts = [
    peopleText(event, { ...context, room }),
    event.breakGlass ? "🚨 break-glass" : "",
    event.reference === undefined || context.detail === "brief" ? "" : `Reference ${short(event.reference, 20)}`,
    now === undefined ? "" : `${shortAge(event.at.toISOString(), now) ?? ""} ago`,
  ];
  const end = parts.flatMap((part) => (part === "" ? [] : [` · ${part}`])).join("");
  const when = now === undefined ? [moment(event.at.toISOString(), " · ")] : [];
  if (after === undefined) return [words(`${dot} ${before}${end}`, PIECE), ...when];
  const name = nameWords(event, { ...context, room });
  return [words(`${dot} ${before}`, PIECE), ...name, words(`${after}${end}`, PIECE), ...when];
}

/** The line as plain text. */
export function historyText(event: HistoryEvent, context: HistoryLineContext): string {
  return plainTextOf([section(historyLine(event, context))]);
}

type WithRoom = HistoryLineContext & { readonly room: Room };

/** The name, with its region when that isn't the default, and its account when it isn't the reader's. */
function nameWords({ workload, account: owner }: HistoryEvent, { room, defaultRegion, account }: WithRoom): Inline[] {
  if (workload === undefined) return [];
  const { kind, region, name } = workload;
  // Jobs have only one region.
  const isElsewhere = kind === "service" && region !== "" && region !== defaultRegion;
  const isOthers = account !== undefined && owner !== undefined && owner !== account;
  return [
    strong(name, room.name),
    ...(isElsewhere ? [words(` in ${short(region, 30)}`)] : []),
    ...(isOthers ? [words(` (account ${short(owner, room.person)})`)] : []),
  ];
}

function peopleText(event: HistoryEvent, { detail, room }: WithRoom): string {
  const { request, who, kind } = event;
  const requester = request?.requester ?? (kind === "requested" ? who : undefined);
  // "Cancelled by" has named them already.
  if (requester === undefined || request?.state === "cancelled") return "";
  const name = short(requester.name, room.person);
  if (detail === "brief") return request?.wayBackOf === undefined ? name : "automatic";
  const why = request?.reason === undefined ? "" : `: “${short(request.reason, room.text / 2)}”`;
  return `${beforeRequester(request)}${name}${why}${approvals(request, room)}`;
}

/** "requested by ", or for an automatic way back "automatic, part of request 7K3M9Q by ". */
export function beforeRequester(request: Pick<StoredChange, "wayBackOf"> | undefined): string {
  const { wayBackOf } = request ?? {};
  return wayBackOf === undefined ? "requested by " : `automatic, part of request ${short(wayBackOf, 40)} by `;
}

const NAMED = 3;

function approvals(request: StoredChange | undefined, room: Room): string {
  const votes = request?.votes ?? [];
  if (request === undefined || votes.length === 0 || request.state === "pending") return "";
  return `, approved by ${votersText(votes, room.person).replace(/, ([^,]*)$/u, " and $1")}`;
}

/** "Alex Kim, Omar Haddad, 2 more". */
export function votersText(votes: StoredChange["votes"], room: number): string {
  const names = votes.slice(0, NAMED).map(({ name }) => short(name, room));
  return [...names, ...(votes.length > NAMED ? [`${votes.length - NAMED} more`] : [])].join(", ");
}

/** The most characters of names of workloads, of people, and of everything else that people or the API wrote. */
export type Room = { readonly name: number; readonly person: number; readonly text: number };

/** The workload's name belongs between `before` and `after`; without `after` the phrase names none. */
export type Phrase = { readonly dot: string; readonly before: string; readonly after?: string };

/** What happened, from the request as it is now; else only what the row of history itself says. Pure. */
export function phraseOf(event: HistoryEvent, room: Room): Phrase {
  const { request, workload } = event;
  if (workload === undefined) return placePhrase(event, room);
  const verb = request?.verb ?? event.verb ?? "";
  const deed = { ...lineOf(verb), detail: detailOf(verb, request?.diff ?? [], room) };
  if (request !== undefined) return statePhrases[request.state](request, deed, room);
  const requested: Phrase = { dot: "⏳", before: `${deed.ask} `, after: resultOf(event, room) };
  return kindPhrases[event.kind]?.(event, deed, room) ?? requested;
}

/**
 * Only what was done: "✅ *web* scaled 2 → 3"; undefined if nothing was. The dot says whether it took effect, because a
 * rollout can be stuck. A job counts as created however it ends.
 */
function deedPhrase({ request }: HistoryEvent, room: Room): Phrase | undefined {
  const { ending } = request ?? {};
  if (request === undefined || ending?.kind !== "run" || ending.outcome.kind !== "done") return undefined;
  const back = retreatOf(request)?.state === "gone" ? " · it went back" : "";
  const after = ` ${lineOf(request.verb).past}${detailOf(request.verb, request.diff, room)}${back}`;
  return { dot: request.op === "createJob" ? "✅" : doneState(request).mark, before: "", after };
}

/**
 * For a message that is never redrawn: only what stays true. With `deed`, the message shows the workload's status
 * itself, so the line has no status dot.
 */
function lastingPhrase(event: HistoryEvent, deed: Phrase | undefined, room: Room): Phrase {
  const { request } = event;
  const undotted = (phrase: Phrase): Phrase => ({ ...phrase, dot: "•" });
  if (request !== undefined && isStillOpen(request)) return undotted(requestPhrase(request, room));
  if (isStillFollowed(request)) return undotted(deed ?? deedPhrase(event, room) ?? phraseOf(event, room));
  if (deed === undefined) return phraseOf(event, room);
  return statusDots.has(deed.dot) ? undotted(deed) : deed;
}

const statusDots: ReadonlySet<string> = new Set(["🟡", "🔴", overtakenDot]);

/** It waits, runs, or is still being read back. */
function isStillOpen({ state, settledAt }: StoredChange): boolean {
  if (state === "unknown") return settledAt === undefined;
  return state === "pending" || state === "approved" || state === "claimed";
}

/** Its health is still polled and may change. */
function isStillFollowed(request: StoredChange | undefined): boolean {
  return request?.state === "done" && request.health === undefined && isFollowed(request);
}

/** "0 of 1 approval". */
export function votesText({ votes, terms }: Pick<StoredChange, "votes" | "terms">): string {
  return `${votes.length} of ${counted(terms?.votes ?? 1, "approval")}`;
}

/** One line of at most `max` characters, with nothing invisible in it, and with short digests. */
export function short(text: string, max: number): string {
  return truncate(visible(shortDigests(text).replaceAll(/\s*\n\s*/gu, ", ")), Math.floor(max));
}

/** The forms of a verb, and its details such as " 2 → 3". */
type Deed = { readonly past: string; readonly ask: string; readonly going: string; readonly detail: string };

function lineOf(verb: string) {
  return (verbWords(verb) ?? wordsOf({ op: "updateService" })).line;
}

/** "Scale … 2 → 3": what a waiting request asks for. Pure. */
export function requestPhrase({ verb, diff }: Pick<StoredChange, "verb" | "diff">, room: Room): Phrase {
  return { dot: "⏳", before: `${lineOf(verb).ask} `, after: detailOf(verb, diff, room) };
}

const LISTED = 2;

/** Only for what changes values: the diff of the others repeats their verb. */
function detailOf(verb: string, wholeDiff: readonly string[], room: Room): string {
  const diff = changesOf(wholeDiff);
  const [first, ...others] = diff;
  if (first === undefined) return "";
  if (verb === "scale") return ` ${short(first.replace(/^instances:?\s+/u, ""), room.text / 2)}`;
  const said = verbWords(verb);
  if (said !== undefined && said.isOfFields !== true) return "";
  const shown = [first, ...others].slice(0, LISTED).map((line) => short(line, room.text / 2));
  const more = diff.length > LISTED ? [`${diff.length - LISTED} more`] : [];
  return `: ${[...shown, ...more].join(", ")}`;
}

type StatePhrase = (request: StoredChange, deed: Deed, room: Room) => Phrase;

/** Every state of a request. Nothing looks better here than it is. */
const statePhrases: Readonly<Record<ChangeState, StatePhrase>> = {
  pending: (request, { ask, detail }) => ({
    dot: "⏳",
    before: `${ask} `,
    after: `${detail}? ${votesText(request)}`,
  }),
  approved: (_request, { ask, detail }) => ({
    dot: "⏳",
    before: `${ask} `,
    after: `${detail}, waits for its turn`,
  }),
  claimed: (_request, { going, detail }) => ({ dot: "🔄", before: `${going} `, after: detail }),
  done: donePhrase,
  failed: ({ ending }, deed, room) =>
    not("❌", deed, ending?.kind === "run" && ending.outcome.kind === "failed" ? why(ending.outcome.why, room) : ""),
  unknown: ({ settledAt }, { past }) =>
    settledAt === undefined
      ? { dot: "❓", before: "Checking whether ", after: ` was ${past}` }
      : { dot: "❓", before: "Can't tell whether ", after: ` was ${past}` },
  rejected({ ending }, deed, room) {
    if (ending?.kind !== "rejected") return not("🚫", deed, "rejected");
    const reason = ending.reason === undefined ? "" : `, “${short(ending.reason, room.text / 2)}”`;
    return not("🚫", deed, `rejected by ${short(ending.by.name, room.person)}${reason}`);
  },
  cancelled: ({ ending }, deed, room) =>
    // A workload of several, after one that failed.
    not("🚫", deed, ending?.kind === "cancelled" ? `cancelled by ${short(ending.by.name, room.person)}` : "not run"),
  expired: ({ ending }, deed) =>
    not(
      "⌛",
      deed,
      ending?.kind === "expired" && ending.was === "approved" ? "not run in time" : "not approved in time",
    ),
  drifted: ({ wayBackEnd }, deed) =>
    not("⚠️", deed, wayBackEnd?.isNeeded === false ? wayBackEnd.why : "it changed while the request waited"),
};

function donePhrase(request: StoredChange, { past, detail, ask }: Deed, room: Room): Phrase {
  const { kind, mark: dot, but } = doneState(request);
  if (request.op === "createJob") return { dot, before: "", after: jobEnd(kind, short(but, room.text), past) };
  const line = unwellWords(request, seenOf(request))
    .map((words) => ` · ${short(words, room.text)}`)
    .join("");
  const isOvertaken = dot === overtakenDot;
  if (kind === "accepted" || (kind === "unconfirmed" && isOvertaken)) {
    return accepted({ ask, detail }, short(acceptedWords(seenOf(request)), room.text), dot);
  }
  if (kind === "unconfirmed") {
    const what = `accepted, but the workload API doesn't report ${unseenOf(request) ?? ""}`;
    return accepted({ ask, detail }, `${what}${but === "" ? "" : line}`, dot);
  }
  return { dot, before: "", after: ` ${past}${detail}${line}` };
}

/** Why it isn't a success, by the last poll. */
function unwellWords(request: StoredChange, seen: Health | undefined): readonly string[] {
  if (seen === undefined || seen.kind === "reached") return [];
  if (request.wayBackEnd?.isNeeded === false) return [request.wayBackEnd.why];
  const retreat = retreatWords(request) ?? request.wayBackEnd?.why;
  const facts = retreat === undefined ? seen.line : troubleFacts(request, seen).join(" · ");
  return [retreat ?? overtakenWords(seen) ?? seen.outcome ?? "", facts].filter((each) => each !== "");
}

function accepted({ ask, detail }: Pick<Deed, "ask" | "detail">, what: string, dot: string): Phrase {
  return { dot, before: `${ask} `, after: `${detail}${detail.startsWith(":") ? ";" : ":"} ${what}` };
}

function jobEnd(kind: DoneState["kind"], but: string, past: string): string {
  if (kind === "well") return " completed";
  if (kind === "unpolled") return ` ${past}`;
  return kind === "unknown" ? ` ${past}, outcome unknown` : ` ${but}`;
}

/** "*web* wasn't scaled 2 → 3: not approved in time". */
function not(dot: string, { past, detail }: Deed, because: string): Phrase {
  const after = ` wasn't ${past}${detail}`;
  return {
    dot,
    before: "",
    after: because === "" ? after : `${after}${detail.startsWith(":") ? ";" : ":"} ${because}`,
  };
}

/** A sentence after a colon. */
function why(text: string, room: Room): string {
  const inside = text.replace(/^(?:The|This|It|No|Not|An?|Accepted)\b/u, lower);
  return short(inside, room.text).replace(/\.$/u, "");
}

type KindPhrase = (event: HistoryEvent, deed: Deed, room: Room) => Phrase;

/** For rows whose request is no longer kept: they say less, and guess nothing. */
const kindPhrases: Readonly<Partial<Record<HistoryEventKind, KindPhrase>>> = {
  done: (event, deed, room) =>
    isUnconfirmed(event)
      ? accepted(deed, why(event.result, room), "🟡")
      : { dot: "✅", before: "", after: ` ${deed.past}` },
  failed: (event, deed, room) => not("❌", deed, why(event.result, room)),
  unknown: (_event, { past }) => ({ dot: "❓", before: "Can't tell whether ", after: ` was ${past}` }),
  rejected: (event, deed, room) => not("🚫", deed, `rejected by ${person(event, room)}`),
  cancelled: (event, deed, room) => not("🚫", deed, `cancelled by ${person(event, room)}`),
  expired: (_event, deed) => not("⌛", deed, "not approved or not run in time"),
  drifted: (_event, deed) => not("⚠️", deed, "it changed while the request waited"),
  refused: (event, _deed, room) => ({ dot: "🚫", before: `${notAllowed(event, room)} `, after: policyOf(event, room) }),
  watched: watchPhrase,
  unwatched: watchPhrase,
  muted: watchPhrase,
  unmuted: watchPhrase,
  taken: watchPhrase,
  "handed-over": watchPhrase,
  released: watchPhrase,
};

const watchWords: Readonly<Record<string, readonly [dot: string, does: string]>> = {
  watched: ["🔔", "watches"],
  unwatched: ["🔕", "no longer watches"],
  muted: ["🔕", "muted"],
  unmuted: ["🔔", "unmuted"],
  taken: ["👋", "takes care of"],
  "handed-over": ["👋", "handed over"],
  released: ["👋", "no longer takes care of"],
};

function watchPhrase(event: HistoryEvent, _deed: unknown, room: Room): Phrase {
  const [dot, does] = watchWords[event.kind] ?? ["🔔", event.kind];
  // Its result says to whom.
  const after = event.kind === "handed-over" ? ` ${short(event.result, room.text)}` : resultOf(event, room);
  return { dot, before: `${person(event, room)} ${does} `, after };
}

/** Rows that name no workload: accounts, channels, and requests that never got that far. */
function placePhrase(event: HistoryEvent, room: Room): Phrase {
  const { kind, verb = "", account } = event;
  const name = person(event, room);
  const which = account === undefined ? "an account" : `the account ${short(account, room.person)}`;
  switch (kind) {
    case "connected":
      return { dot: "🔑", before: `${name} connected ${which}` };
    case "disconnected":
      return { dot: "🔑", before: `${name} disconnected ${which}` };
    case "bound":
      return { dot: "📌", before: `${name} set up a channel${resultOf(event, room)}` };
    case "unbound":
      return { dot: "📌", before: `${name} removed the binding of a channel` };
    case "watched":
    case "unwatched":
    case "muted":
    case "unmuted":
    case "taken":
    case "handed-over":
    case "released": {
      // A pattern is no workload: the result begins with it.
      const { dot, before } = watchPhrase(event, undefined, room);
      return { dot, before: `${before}${short(event.result, room.text)}` };
    }
    case "installed":
      return { dot: "➕", before: "Gantry was installed in this workspace" };
    case "uninstalled":
      return { dot: "➖", before: `Gantry was removed from this workspace${resultOf(event, room)}` };
    case "erased":
      return { dot: "➖", before: `The data of ${short(event.result, room.person)} was erased` };
    case "refused":
      return { dot: "🚫", before: `${notAllowed(event, room)}${policyOf(event, room)}` };
    default:
      return { dot: "❌", before: `${short(verb, 20)} request by ${name} failed${resultOf(event, room)}` };
  }
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

function notAllowed(event: HistoryEvent, room: Room): string {
  const verb = short(event.verb ?? "", 20);
  const ask = verbWords(verb)?.line.ask ?? `use ${verb}${event.workload === undefined ? "" : " on"}`;
  const read = Object.hasOwn(readWords, verb) ? readWords[verb] : undefined;
  return `${person(event, room)} wasn't allowed to ${read ?? lower(ask)}`;
}

function policyOf({ rule }: HistoryEvent, room: Room): string {
  return rule === undefined ? "" : ` · policy: ${short(rule, room.text / 2)}`;
}

function resultOf({ result }: HistoryEvent, room: Room): string {
  return result === "" ? "" : `: ${why(result, room)}`;
}

/** Rows without a person are the bot's own. */
function person({ who }: HistoryEvent, room: Room): string {
  return short(who?.name ?? "Gantry", room.person);
}
