import type { ChangeState, StoredChange } from "../../changes/stored-change.ts";
import { counted } from "../kit/text.ts";

type Tell = (change: StoredChange) => string;

const fates: Readonly<Record<ChangeState, Tell>> = {
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

/** What became of a Change so far, in complete sentences with real names. */
export function changeFate(change: StoredChange): string {
  return fates[change.state](change);
}

function approval({ votes }: StoredChange): string {
  const names = votes.map(({ name }) => name);
  const last = names.pop();
  if (last === undefined) return "";
  return `${names.length === 0 ? last : `${names.join(", ")} and ${last}`} approved it. `;
}
