import type { StoredChange } from "../../changes/stored-change.ts";
import { shortDigests } from "../../../api/image.ts";
import { counted, truncate, visible } from "./text.ts";

/** "requested by ", or for an automatic way back "automatic, part of request 7K3M9Q by ". */
export function beforeRequester(request: Pick<StoredChange, "wayBackOf">): string {
  const { wayBackOf } = request;
  return wayBackOf === undefined ? "requested by " : `automatic, part of request ${short(wayBackOf, 40)} by `;
}

const NAMED = 3;

/** "Alex Kim, Omar Haddad, 2 more". */
export function votersText(votes: StoredChange["votes"], room: number): string {
  const names = votes.slice(0, NAMED).map(({ name }) => short(name, room));
  return [...names, ...(votes.length > NAMED ? [`${votes.length - NAMED} more`] : [])].join(", ");
}

/** "0 of 1 approval". */
export function votesText({ votes, terms }: Pick<StoredChange, "votes" | "terms">): string {
  return `${votes.length} of ${counted(terms?.votes ?? 1, "approval")}`;
}

/** One line of at most `max` characters, with nothing invisible in it, and with short digests. */
export function short(text: string, max: number): string {
  return truncate(visible(shortDigests(text).replaceAll(/\s*\n\s*/gu, ", ")), Math.floor(max));
}
