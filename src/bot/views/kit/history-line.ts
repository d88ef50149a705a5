import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { section } from "./blocks.ts";
import { type Phrase, phraseOf, type Room, short } from "./history-phrase.ts";
import { type Inline, strong, words } from "./inline.ts";
import { plainTextOf } from "./post.ts";
import { shortAge } from "./time.ts";

export type HistoryLineContext = {
  readonly now: Date;
  readonly defaultRegion: string;
  /** `brief` only names the requester; `full` also says why they asked and who approved. */
  readonly detail: "brief" | "full";
  readonly room?: Room;
};

const ROOM: Room = { name: 63, person: 40, text: 140 };
/** More than the room of all parts together. */
const PIECE = 1_000;

/** "✅ *web* scaled 2 → 3 · requested by Dana, approved by Alex · 5m". Foreign text is cut and made visible. Pure. */
export function historyLine(event: HistoryEvent, context: HistoryLineContext): Inline[] {
  const { room = ROOM, now } = context;
  const phrase = phraseOf(event, room);
  const facts = [
    peopleText(event, { ...context, room }),
    event.breakGlass ? "🚨 break-glass" : "",
    event.reference === undefined || context.detail === "brief" ? "" : `Reference ${short(event.reference, 20)}`,
    shortAge(event.at.toISOString(), now) ?? "",
  ];
  return pieces(phrase, nameWords(event, { ...context, room }), facts.filter((fact) => fact !== "").join(" · "));
}

/** The line as plain text. */
export function historyText(event: HistoryEvent, context: HistoryLineContext): string {
  return plainTextOf([section(historyLine(event, context))]);
}

function pieces({ dot, before, after }: Phrase, name: readonly Inline[], facts: string): Inline[] {
  const end = facts === "" ? "" : ` · ${facts}`;
  if (after === undefined) return [words(`${dot} ${before}${end}`, PIECE)];
  return [words(`${dot} ${before}`, PIECE), ...name, words(`${after}${end}`, PIECE)];
}

type WithRoom = HistoryLineContext & { readonly room: Room };

/** The name, with its region when that isn't the default. Jobs have only one region. */
function nameWords({ workload }: HistoryEvent, { room, defaultRegion }: WithRoom): Inline[] {
  if (workload === undefined) return [];
  const { kind, region, name } = workload;
  const isElsewhere = kind === "service" && region !== "" && region !== defaultRegion;
  return [strong(name, room.name), ...(isElsewhere ? [words(` in ${short(region, 30)}`)] : [])];
}

function peopleText(event: HistoryEvent, { detail, room }: WithRoom): string {
  const { request, who, kind } = event;
  const requester = request?.requester ?? (kind === "requested" ? who : undefined);
  // "Cancelled by" has named them already.
  if (requester === undefined || request?.state === "cancelled") return "";
  const name = short(requester.name, room.person);
  if (detail === "brief") return name;
  const why = request?.reason === undefined ? "" : `: “${short(request.reason, room.text / 2)}”`;
  return `requested by ${name}${why}${approvals(request, room)}`;
}

const NAMED = 3;

function approvals(request: StoredChange | undefined, room: Room): string {
  const votes = request?.votes ?? [];
  if (request === undefined || votes.length === 0 || request.state === "pending") return "";
  const names = votes.slice(0, NAMED).map(({ name }) => short(name, room.person));
  const more = votes.length > NAMED ? [`${votes.length - NAMED} more`] : [];
  return `, approved by ${[...names, ...more].join(", ").replace(/, ([^,]*)$/u, " and $1")}`;
}
