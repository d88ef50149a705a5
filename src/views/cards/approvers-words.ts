import type { Terms } from "../../policy/verdict.ts";
import { group, joined, person, words, type Inline } from "../kit/inline.ts";
import { groupName, nameOf, type Names } from "./spoken.ts";
import { counted } from "../kit/text.ts";

const LISTED = 5;

type Approving = Pick<Terms, "from" | "selfApproval" | "mention">;

/**
 * Who may approve: "@oncall, Alex Kim or any other full member of this channel". Whoever is mentioned is notified by the
 * first message that holds it; the others are written as a name, which notifies nobody.
 */
export function approversWords({ from, selfApproval, mention }: Approving, names: Names = {}): Inline[] {
  const handle = (id: string): Inline => words(groupName(names, id), 60);
  const name = (id: string): Inline => words(nameOf(names, id), 60);
  const all = [
    ...listed(from.groups, mention === "nobody" ? handle : group),
    ...listed(from.users, mention === "all" ? person : name),
    ...(from.channelMembers ? [words(`any ${selfApproval ? "" : "other "}full member of this channel`)] : []),
  ];
  const last = all.at(-1);
  if (last === undefined) return [words("nobody")];
  return all.length === 1 ? [last] : [...joined(all.slice(0, -1)), words(" or "), last];
}

function listed(ids: readonly string[], draw: (id: string) => Inline): Inline[] {
  const more = ids.length > LISTED ? [words(`${ids.length - LISTED} more`)] : [];
  return [...ids.slice(0, LISTED).map(draw), ...more];
}

/** "2 votes of @oncall or Alex Kim": what an approval takes. */
export function termsWords(terms: Terms, names: Names = {}): Inline[] {
  return [words(`${counted(terms.votes, "vote")} of `), ...approversWords(terms, names)];
}
