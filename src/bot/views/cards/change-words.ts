import type { ChangeState, StoredChange, Who } from "../../changes/stored-change.ts";
import { isFollowed, seenOf } from "../kit/seen.ts";
import { person, strong, words, type Inline, group, joined } from "../kit/inline.ts";
import { type Names, groupName, nameOf } from "../kit/post.ts";
import type { Terms } from "../../policy/policy.ts";
import { counted } from "../kit/text.ts";
import { headline } from "./headline.ts";
import { allNames, type Phrased, regionText, split } from "./phrases.ts";

/** "scale *web* to 5", for use within a sentence. */
export function actionWords(phrased: Phrased, defaultRegion?: string): readonly Inline[] {
  const [before, after] = split(phrased, "title");
  return named([`${before.charAt(0).toLowerCase()}${before.slice(1)}`, after], phrased, defaultRegion);
}

type Around = readonly [before: string, after: string];

function named([before, after]: Around, phrased: Phrased, defaultRegion: string | undefined): readonly Inline[] {
  const rest = `${regionText(phrased, defaultRegion)}${after}`;
  const name = strong(allNames(phrased.parts ?? [phrased]), 1_200);
  return [words(before), name, ...(rest === "" ? [] : [words(rest, 100)])];
}

/** A mention of a person; their name if the id isn't Slack's. */
export function personWords({ userId, name }: Who): Inline {
  const drawn = person(userId);
  return drawn.type === "user" ? drawn : words(name, 80);
}

/** The names of everyone in a Change, added to the given ones. */
export function namesIn({ requester, votes, ending }: StoredChange, names: Names = {}): Names {
  const by = ending?.kind === "rejected" || ending?.kind === "cancelled" ? [ending.by] : [];
  return { ...names, ...Object.fromEntries([requester, ...votes, ...by].map(({ userId, name }) => [userId, name])) };
}

/** Joins lines that a person typed. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/gu, " ");
}

const LISTED = 5;

type Approving = Pick<Terms, "from" | "selfApproval" | "mention">;

/**
 * "@oncall, Alex Kim or another member of this channel". A mention notifies when it is first posted; a name
 * notifies nobody.
 */
export function approversWords({ from, selfApproval, mention }: Approving, names: Names = {}): Inline[] {
  const handle = (id: string): Inline => words(groupName(names, id), 60);
  const name = (id: string): Inline => words(nameOf(names, id), 60);
  const all = [
    ...listed(from.groups, mention === "nobody" ? handle : group),
    ...listed(from.users, mention === "all" ? person : name),
    ...(from.channelMembers ? [words(`${selfApproval ? "any" : "another"} member of this channel`)] : []),
  ];
  const last = all.at(-1);
  if (last === undefined) return [words("nobody")];
  return all.length === 1 ? [last] : [...joined(all.slice(0, -1)), words(" or "), last];
}

function listed(ids: readonly string[], draw: (id: string) => Inline): Inline[] {
  const more = ids.length > LISTED ? [words(`${ids.length - LISTED} more`)] : [];
  return [...ids.slice(0, LISTED).map(draw), ...more];
}

/** "2 approvals from @oncall or Alex Kim". */
export function termsWords(terms: Terms, names: Names = {}): Inline[] {
  return [words(`${counted(terms.votes, "approval")} from `), ...approversWords(terms, names)];
}

type Tell = (change: StoredChange) => string;

const summaries: Readonly<Record<ChangeState, Tell>> = {
  pending: ({ terms, votes }) => `Needs ${counted((terms?.votes ?? 1) - votes.length, "more approval")}.`,
  approved: (change) => `${approval(change)}It runs in a moment.`,
  claimed: (change) => `${approval(change)}It's running now.`,
  done: (change) =>
    isFollowed(change) && seenOf(change) === undefined
      ? "It was sent, and I'm checking that the workload runs."
      : `It ran: ${headline(change).text}.`,
  failed: (change) => (change.parts === undefined ? "It failed. Nothing was changed." : `${headline(change).text}.`),
  unknown: (change) =>
    change.settledAt === undefined
      ? "It was sent, and no answer came. I'm checking whether it took effect."
      : "It was sent, but I can't tell whether it took effect.",
  rejected: ({ ending }) => (ending?.kind === "rejected" ? `${ending.by.name} rejected it.` : "It was rejected."),
  cancelled: ({ ending }) => (ending?.kind === "cancelled" ? `${ending.by.name} cancelled it.` : "It was cancelled."),
  expired: () => "It expired. Nothing was changed.",
  drifted: () => "The workload changed while it waited, so nothing was run.",
};

/** The current state of a request in complete sentences, with real names. */
export function changeSummary(change: StoredChange): string {
  return summaries[change.state](change);
}

function approval({ votes }: StoredChange): string {
  const names = votes.map(({ name }) => name);
  const last = names.pop();
  if (last === undefined) return "";
  return `${names.length === 0 ? last : `${names.join(", ")} and ${last}`} approved it. `;
}
