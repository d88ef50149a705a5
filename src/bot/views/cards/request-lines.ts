import type { StoredChange } from "../../changes/stored-change.ts";
import { requestButton } from "../kit/ask-buttons.ts";
import { actions, type Line, withBlockId, type Block } from "../kit/blocks.ts";
import { beforeRequester, short, votesText, votersText } from "../kit/request-words.ts";
import { type Inline, strong, words } from "../kit/inline.ts";
import { capital } from "../kit/text.ts";
import { age, span } from "../kit/time.ts";
import { allNames, detailText, regionText, split } from "./phrases.ts";

// A request that waits for approval, the same on Home and in lists. People are named, not mentioned: a mention would
// notify them each time somebody shares a list.

const ROOM = { name: 63, person: 40, text: 120 } as const; // literal numbers
const LONGEST = 400;
/** Of all workloads of a request. */
const NAMES = 1_200;

type Where = { readonly now: Date; readonly defaultRegion: string };

/** "⏳ Scale *web* to 3". */
export function requestTitle(change: StoredChange, { defaultRegion }: Pick<Where, "defaultRegion">): Inline[] {
  const [before, after] = split(change, "title");
  const risk = change.risk === "destructive" ? " · ⚠️ destructive" : "";
  const names = change.parts === undefined ? short(change.workload.name, ROOM.name) : allNames(change.parts);
  return [
    words(`⏳ ${before}`),
    strong(names, NAMES),
    words(`${regionText(change, defaultRegion)}${after}${detailText(change)}${risk}` || " ", LONGEST),
  ];
}

/** "Requested by Dana Reyes, 5m ago: “orders time out”". */
export function askedBy(change: StoredChange, { now }: Pick<Where, "now">): Line {
  const { requester, createdAt, reason } = change;
  const since = age(createdAt.toISOString(), now) ?? "";
  const why = reason === undefined ? "" : `: “${short(reason, ROOM.text)}”`;
  const by = `${capital(beforeRequester(change))}${short(requester.name, ROOM.person)}`;
  return [words(`${by}, ${since} ago${why}`, LONGEST)];
}

/** "1 of 2 approvals (Alex Kim) · expires in 40 min". */
export function approvalsText(change: StoredChange, { now }: Pick<Where, "now">): string {
  return `${votesText(change)}${voters(change)} · ${expiryText(change, now)}`;
}

/** "1 of 2 (Alex Kim) · expires in 40 min", after words that say what is counted. */
export function countedText(change: StoredChange, { now }: Pick<Where, "now">): string {
  const { votes, terms } = change;
  return `${votes.length} of ${terms?.votes ?? 1}${voters(change)} · ${expiryText(change, now)}`;
}

function voters({ votes }: StoredChange): string {
  return votes.length === 0 ? "" : ` (${votersText(votes, ROOM.person)})`;
}

function expiryText({ expiresAt }: StoredChange, now: Date): string {
  if (expiresAt === undefined) return "never expires";
  const leftMs = expiresAt.getTime() - now.getTime();
  return leftMs <= 0 ? "expired" : `expires in ${span(leftMs)}`;
}

/** A click on these isn't a click on the card: the message stays as it is. */
export const BESIDE_CARD = "waiting:";

/** Buttons for a request outside of its card. */
export function decisionButtons({ id }: StoredChange, may: "decide" | "cancel" | "nothing"): Block[] {
  const acts = ({ decide: ["approve", "reject"], cancel: ["cancel"], nothing: [] } as const)[may]; // literal acts
  const buttons = acts.map((act) => requestButton(act, id));
  return withBlockId(actions(...buttons), `${BESIDE_CARD}${id.slice(0, 40).toWellFormed()}`);
}
