import type { Approvers, Terms, Verdict } from "./verdict.ts";

type Approve = Extract<Verdict, { readonly kind: "approve" }>;

/**
 * The verdict on one request for several workloads, from the verdict on each. The first refusal refuses all; else the
 * strictest terms count. `split`: one approval can't satisfy each of them. Pure.
 */
export function strictest(verdicts: readonly Verdict[]): Verdict | "split" {
  const [first] = verdicts;
  if (first === undefined) throw new Error("no verdict to choose from");
  const refused = verdicts.find(({ kind }) => kind === "refuse");
  if (refused !== undefined) return refused;
  const glass = verdicts.find(({ kind }) => kind === "break-glass");
  const approvals = verdicts.filter((verdict) => verdict.kind === "approve");
  if (approvals.length === 0) return glass ?? first;
  // Breaking the glass skips approvals, and the others need them.
  return glass === undefined ? strictestTerms(approvals) : "split";
}

function strictestTerms(approvals: readonly Approve[]): Approve | "split" {
  const terms = approvals.map((approval) => approval.terms);
  const [first] = terms;
  const isShared = terms.every((each) => each.cardIn === first?.cardIn && sameApprovers(each.from, first?.from));
  if (first === undefined || !isShared) return "split";
  const votes = Math.max(...terms.map((each) => each.votes));
  const rule = approvals.find((approval) => approval.terms.votes === votes)?.rule ?? "";
  return { kind: "approve", rule, terms: { ...first, ...combined(terms), votes } };
}

function combined(terms: readonly Terms[]): Omit<Terms, "votes" | "from" | "cardIn"> {
  const mentions = new Set(terms.map(({ mention }) => mention));
  const loudest = (["all", "groups"] as const).find((mention) => mentions.has(mention)); // literal words
  return {
    selfApproval: terms.every(({ selfApproval }) => selfApproval),
    reasonRequired: terms.some(({ reasonRequired }) => reasonRequired),
    expiresMs: Math.min(...terms.map(({ expiresMs }) => expiresMs)),
    mention: loudest ?? "nobody",
  };
}

function sameApprovers(one: Approvers, other: Approvers | undefined): boolean {
  return other !== undefined && keyOf(one) === keyOf(other);
}

function keyOf({ users, groups, channelMembers }: Approvers): string {
  return JSON.stringify([users.toSorted(), groups.toSorted(), channelMembers]);
}
