import type { Change, Outcome, WorkloadRef, WriteOperationId } from "../../changes/change.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { context, section, type Line } from "../kit/blocks.ts";
import { joined, strong, words, type Inline } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";
import { counted, truncate, visible } from "../kit/text.ts";
import { allNames, namedTogether, operationWords } from "./change-words.ts";

export type SeveralHead = { readonly change: StoredChange; readonly parts: readonly StoredChange[] };

/** The state of a request for several workloads, with a line for each of them. */
export function severalHead({ change, parts }: SeveralHead): Block[] {
  const [first = "–", ...rest] = partLines({ change, parts });
  return [
    section(headline({ change, parts })),
    ...why(change, parts),
    section(first, ...rest),
    ...(change.diff.length === 0 ? [] : [context(`Left out: ${truncate(visible(change.diff.join(" · ")), LEFT_OUT)}`)]),
    ...(isOver(change) ? [] : [context("One after the other. Stops at the first failure.")]),
  ];
}

const gerunds: Readonly<Record<WriteOperationId, string>> = {
  createJob: "Creating",
  deleteJob: "Deleting",
  createService: "Creating",
  deleteService: "Deleting",
  updateService: "Changing",
  startService: "Starting",
  stopService: "Stopping",
  restartService: "Restarting",
};

function headline({ change, parts }: SeveralHead): Line {
  const { op, state } = change;
  const [past, infinitive] = operationWords[op];
  const what = namedTogether(parts.map(({ workload }) => workload));
  const question = [strong(`${capital(infinitive)} `), ...bold(what), strong("?")];
  switch (state) {
    case "pending":
      return [words("⏳ "), ...question];
    case "approved":
      return [words(`🔄 About to ${infinitive} `), ...what];
    case "claimed":
      return running(change, parts);
    case "rejected":
      return [words("🚫 Rejected"), ...by(change), words(`: ${infinitive} `), ...what];
    case "cancelled":
      return [words("🚫 Cancelled"), ...by(change), words(`: ${infinitive} `), ...what];
    case "expired":
      return [words(`⌛ Expired: ${infinitive} `), ...what];
    case "done":
    case "failed":
    case "unknown":
    case "drifted":
      return endedWords(parts, past.toLowerCase());
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function bold(pieces: readonly Inline[]): Inline[] {
  return pieces.map((piece) => (piece.type === "text" ? strong(piece.text) : piece));
}

function by({ ending }: StoredChange): Inline[] {
  if (ending?.kind !== "rejected" && ending?.kind !== "cancelled") return [];
  return [words(" by "), strong(ending.by.name, 80)];
}

function running({ op }: StoredChange, parts: readonly StoredChange[]): Inline[] {
  const place = parts.findIndex(({ settledAt }) => settledAt === undefined) + 1;
  const stops = parts.some(({ state }) => state === "failed");
  if (place > 0 && !stops) return [words(`🔄 ${gerunds[op]} ${place} of ${parts.length}…`)];
  const done = parts.filter(({ state }) => state === "done").length;
  return [words(`🔄 ${operationWords[op][0]} ${done} of ${parts.length}. Checking how they run…`)];
}

/** "2 of 5 restarted: shop-b failed". Never better than the worst of them. */
export function endedWords(parts: readonly StoredChange[], past: string): Inline[] {
  const done = parts.filter(({ state }) => state === "done");
  const count = `${done.length} of ${parts.length} ${past}`;
  const first = (state: StoredChange["state"]): StoredChange | undefined => parts.find((part) => part.state === state);
  const sick = done.find(({ health }) => health?.kind === "trouble");
  const worst: readonly (readonly [mark: string, part: StoredChange | undefined, what: readonly [string, string]])[] = [
    ["❌", first("failed"), ["", " failed"]],
    ["❓", first("unknown"), ["couldn't confirm ", ""]],
    ["⚠️", first("drifted"), ["", " changed meanwhile"]],
    ["⚠️", sick, ["", " is failing"]],
  ];
  for (const [mark, part, [before, after]] of worst) {
    if (part === undefined) continue;
    return [
      words(`${mark} ${count}: ${before}`),
      strong(part.workload.name, 80),
      ...(after === "" ? [] : [words(after)]),
    ];
  }
  return [words(done.length === 0 ? `❌ Nothing was ${past}` : `✅ ${count}`)];
}

/** Why nothing was sent, when it wasn't a part that failed. */
function why({ ending, terms }: StoredChange, parts: readonly StoredChange[]): Block[] {
  switch (ending?.kind) {
    case "expired": {
      const reason = ending.was === "pending" && terms !== undefined ? "Not enough approvals in time. " : "";
      return [section(`${reason}Nothing was changed.`)];
    }
    case "rejected":
    case "cancelled":
      return [section("Nothing was changed.")];
    case "run":
      return parts.every(({ state }) => state === "cancelled") ? refusal(ending.outcome) : [];
    default:
      return [];
  }
}

function refusal(outcome: Outcome): Block[] {
  return outcome.kind === "failed" ? [section([words(outcome.why, 500)], [words(outcome.next, 500)])] : [];
}

function isOver({ settledAt }: StoredChange): boolean {
  return settledAt !== undefined;
}

const NAME = 50;
const WHY = 200;
/** Beside many others, only the one at which the request stopped has room for its whole reason. */
const SHORT_WHY = 35;
const FEW = 5;
const MOST_ALIKE = 10;
const LEFT_OUT = 200;

/** A line for each; one for all of many while there is nothing to tell them apart by. */
function partLines({ change, parts }: SeveralHead): readonly Line[] {
  const states = new Set(parts.map((part) => partState(part, change).join()));
  if (parts.length > MOST_ALIKE && states.size === 1 && states.has(",")) {
    return [allNames(parts.map(({ workload }) => workload))];
  }
  return parts.map((part) => partLine(part, { change, parts }));
}

function partLine(part: StoredChange, { change, parts }: SeveralHead): Line {
  const [mark, note] = partState(part, change);
  const stopped = parts.find(({ state }) => state === "failed" || state === "unknown");
  const most = parts.length <= FEW || part === stopped ? WHY : SHORT_WHY;
  const kind = part.workload.kind === "job" ? "job " : "";
  const name = `${kind}${truncate(visible(part.workload.name), NAME)}`;
  return [strong(`${mark === "" ? "•" : mark} ${name}`), ...(note === "" ? [] : [words(` · ${note}`, most)])];
}

type State = readonly [mark: string, note: string];

/** The mark of a part, and what there is to say about it. */
function partState(part: StoredChange, request: StoredChange): State {
  const { state, settledAt, ending } = part;
  const outcome = ending?.kind === "run" ? ending.outcome : undefined;
  const reason = outcome === undefined || outcome.kind === "done" ? "" : outcome.why;
  switch (state) {
    case "claimed":
      return ["🔄", ""];
    case "unknown":
      return ["❓", settledAt === undefined ? "no answer, reading it back" : reason];
    case "done":
      return [doneMark(part), doneNote(part)];
    case "failed":
      return ["❌", reason];
    case "drifted":
      return ["⚠️", "skipped: changed meanwhile"];
    default:
      return unsentState(part, request);
  }
}

function unsentState({ state }: StoredChange, request: StoredChange): State {
  if (state === "cancelled") return request.ending?.kind === "run" ? ["▫️", "not run"] : ["", ""];
  return request.state === "claimed" ? ["⏳", ""] : ["", ""];
}

const dots: Readonly<Record<Health["kind"], string>> = {
  reached: "🟢",
  trouble: "🔴",
  "not-yet": "🟡",
  unwatched: "✅",
};

function doneMark({ health, op }: StoredChange): string {
  if (health?.kind === "reached" && op === "stopService") return "⚪";
  return health === undefined ? "✅" : dots[health.kind];
}

function doneNote({ health, ending }: StoredChange): string {
  if (health !== undefined && health.line !== "") return health.line;
  const moved = ending?.kind === "run" && ending.outcome.kind === "done" ? ending.outcome.alsoMoved : [];
  return moved.length === 0 ? "" : `also changed: ${moved.join(", ")}`;
}

/** The label of the button that requests the workloads that weren't changed; undefined when there are none. */
export function restLabel({ state, parts = [] }: StoredChange): string | undefined {
  const left = parts.filter((part) => part.state !== "done");
  if (left.length === 0) return undefined;
  if (left.length === parts.length) return "Ask again";
  return state === "expired" ? "Ask again" : `Ask for the other ${left.length}`;
}

/** Every workload is already as requested. */
export function nothingToDoForAny(changes: readonly Change[]): Post {
  const workloads: readonly WorkloadRef[] = changes.map(({ workload }) => workload);
  const names = joined(workloads.slice(0, 10).map(({ name }) => strong(name, NAME)));
  const more = workloads.length > 10 ? [words(` and ${counted(workloads.length - 10, "other")}`)] : [];
  return postOf([
    section([words("✅ Nothing to do")], [...names, ...more, words(" are already as requested. Nothing was sent.")]),
  ]);
}
