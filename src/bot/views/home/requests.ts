import type { StoredChange } from "../../changes/stored-change.ts";
import { actions, askButton, header, section } from "../kit/blocks.ts";
import type { HomeState } from "./state.ts";
import { words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { approvalsText, askedBy, decisionButtons, requestTitle } from "../cards/request-lines.ts";

const LISTED = 6;

type Parts = Pick<HomeState, "mine" | "waiting" | "now" | "defaultRegion">;

/** Requests that wait for this person's approval, then their own. */
export function homeRequests(parts: Parts): Block[] {
  const { mine, waiting, now } = parts;
  const approvals = (change: StoredChange) => [words(approvalsText(change, { now }), 400)];
  return [
    ...part("Waiting for you", waiting, (change) => [
      section(requestTitle(change, parts), askedBy(change, parts), approvals(change)),
      ...decisionButtons(change, "decide"),
    ]),
    ...part("Your requests", mine, (change) => [
      section(requestTitle(change, parts), approvals(change)),
      ...decisionButtons(change, "cancel"),
    ]),
  ];
}

function part(title: string, changes: readonly StoredChange[], draw: (change: StoredChange) => Block[]): Block[] {
  if (changes.length === 0) return [];
  const more = changes.length - LISTED;
  const all = { verb: "pending", share: false, args: {} };
  return [
    header(title),
    ...changes.slice(0, LISTED).flatMap(draw),
    ...(more > 0 ? actions(askButton(`${more} more …`, all)) : []),
  ];
}
