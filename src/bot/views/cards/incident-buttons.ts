import type { Button } from "@slack/types";
import type { Ask } from "../../ask.ts";
import { besideButton, muteButton, openButton, runButton } from "../kit/ask-buttons.ts";
import type { Action } from "../kit/action-id.ts";
import { actionButton, type Block, suggesting } from "../kit/blocks.ts";
import type { IncidentCard } from "./incident-words.ts";

type AlertAct = (Action & { readonly kind: "alert" })["act"];

/** Reads are answered below the card, which stays as it is; what changes something opens its form. */
export function incidentButtons(card: IncidentCard, isOpen: boolean): Block[] {
  const { id, incidents, taken } = card.alert;
  const [only, ...others] = incidents;
  if (only === undefined) return [];
  const act = (act: AlertAct, label: string) => actionButton({ label, action: { kind: "alert", act }, value: id });
  const take = isOpen ? act("take", "I'm on it") : undefined;
  // Somebody is on it, so no step is suggested; others can take it over.
  const isTaken = isOpen && taken !== undefined;
  const [step, takeOver] = isTaken ? [undefined, take] : [take, undefined];
  const passing = isTaken
    ? [card.isDirect ? undefined : act("handOver", "Hand over…"), act("leave", "I'm no longer on it")]
    : [];
  const unmute = isOpen ? unmuteButton(others.length === 0 ? only.name : undefined, card) : undefined;
  if (only.name === undefined) return suggesting(step, unmute, takeOver, ...passing);
  if (others.length > 0) {
    const all = besideButton("Show all", { verb: "list", region: only.region, share: false, args: {} });
    return suggesting(step, unmute, all, takeOver, ...passing);
  }
  const { kind, region, seen, end } = only;
  if (end === "deleted" || end === "replaced") return [];
  const name = `${kind}/${only.name}`;
  const look = (verb: string, label: string) => besideButton(label, { verb, region, share: false, args: { name } });
  const open = (verb: string, label: string) => openButton(label, { verb, values: { name }, region });
  const mends = isOpen && kind === "service";
  // Like the others in the menu it names the kind and region, which they share, and no place: an option is short.
  const mutes: Ask = { verb: "mute", region, share: false, args: { name, until: ["1h"] } };
  // In a direct message instead of a channel, it would mute the message.
  const isHere = card.isDirect === (card.place.kind === "dm");
  return suggesting(
    step,
    unmute,
    look("logs", "Logs"),
    look("why", "Why"),
    takeOver,
    mends ? open("restart", "Restart") : undefined,
    mends && Number(seen?.revision ?? 0) > 1 ? open("rollback", "Roll back") : undefined,
    isOpen && isHere && card.mute === undefined ? runButton("Mute 1 h", mutes, { at: 0 }) : undefined,
    ...passing,
  );
}

/** Ends the mute that holds it back, which may be of a pattern, and is named unless it is of this workload alone. */
function unmuteButton(
  name: string | undefined,
  { mute, place }: Pick<IncidentCard, "mute" | "place">,
): Button | undefined {
  if (mute === undefined) return undefined;
  const { names } = mute;
  const label = names === name ? "Unmute" : `Unmute ${names === "*" ? "all" : names}`;
  return muteButton(label, { names, until: "off", place });
}
