import type { WorkloadRef, WriteOperationId } from "../../changes/change.ts";
import type { StoredChange, Who, ChangeState } from "../../changes/stored-change.ts";
import { person, strong, words, type Inline, group, joined } from "../kit/inline.ts";
import { type Names, groupName, nameOf } from "../kit/post.ts";
import type { Terms } from "../../policy/verdict.ts";
import { counted } from "../kit/text.ts";

/** Verb forms of the operations, for each outcome. */
export const operationWords: Readonly<
  Record<WriteOperationId, readonly [past: string, infinitive: string, participle: string]>
> = {
  createJob: ["Created", "create", "created"],
  deleteJob: ["Deleted", "delete", "deleted"],
  createService: ["Created", "create", "created"],
  deleteService: ["Deleted", "delete", "deleted"],
  updateService: ["Changed", "change", "changed"],
  startService: ["Started", "start", "started"],
  stopService: ["Stopped", "stop", "stopped"],
  restartService: ["Restarted", "restart", "restarted"],
};

/** The infinitives of verbs that share an operation. */
const infinitives: Readonly<Record<string, string>> = {
  scale: "scale",
  memory: "change the memory of",
  domains: "change the domains of",
};

type Named = { readonly workload: WorkloadRef; readonly defaultRegion?: string | undefined };

/** Jobs have only one region, and the default region isn't mentioned. */
export function needsRegion({ workload, defaultRegion }: Named): boolean {
  return workload.kind === "service" && defaultRegion !== undefined && workload.region !== defaultRegion;
}

/** "service web", with its region if that isn't the default. */
export function workloadWords(named: Named): Inline[] {
  const { kind, name, region } = named.workload;
  return [words(`${kind} `), strong(name, 255), ...(needsRegion(named) ? [words(` in region ${region}`, 100)] : [])];
}

/** "scale service web". */
export function actionWords(
  change: Pick<StoredChange, "verb" | "op" | "workload">,
  defaultRegion?: string,
): readonly Inline[] {
  const known = Object.hasOwn(infinitives, change.verb) ? infinitives[change.verb] : undefined;
  const infinitive = known ?? operationWords[change.op][1];
  return [words(`${infinitive} `), ...workloadWords({ workload: change.workload, defaultRegion })];
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
 * "@oncall, Alex Kim or any other full member of this channel". A mention notifies when it is first posted; a name
 * notifies nobody.
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

/** "2 votes of @oncall or Alex Kim". */
export function termsWords(terms: Terms, names: Names = {}): Inline[] {
  return [words(`${counted(terms.votes, "vote")} of `), ...approversWords(terms, names)];
}

type Tell = (change: StoredChange) => string;

const summaries: Readonly<Record<ChangeState, Tell>> = {
  pending: ({ terms, votes }) =>
    `It waits for ${counted((terms?.votes ?? 1) - votes.length, "more vote", "more votes")}.`,
  approved: (change) => `${approval(change)}It is about to run.`,
  claimed: (change) => `${approval(change)}It is running.`,
  done: ({ ending }) =>
    ending?.kind === "run" && ending.outcome.kind === "asked"
      ? "It ran, and the service accepted it."
      : "It ran and took effect.",
  failed: () => "It failed, and its card says why.",
  unknown: ({ settledAt }) =>
    settledAt === undefined
      ? "It ran, no answer came, and Gantry is finding out whether it took effect."
      : "It ran, and nobody can tell whether it took effect.",
  rejected: ({ ending }) => (ending?.kind === "rejected" ? `${ending.by.name} rejected it.` : "It was rejected."),
  cancelled: ({ ending }) => (ending?.kind === "cancelled" ? `${ending.by.name} cancelled it.` : "It was cancelled."),
  expired: () => "It expired, and nothing was sent.",
  drifted: () => "It did not run, because what it is about has changed since it was asked for.",
};

/** The current state of a Change in complete sentences, with real names. */
export function changeSummary(change: StoredChange): string {
  return summaries[change.state](change);
}

function approval({ votes }: StoredChange): string {
  const names = votes.map(({ name }) => name);
  const last = names.pop();
  if (last === undefined) return "";
  return `${names.length === 0 ? last : `${names.join(", ")} and ${last}`} approved it. `;
}
