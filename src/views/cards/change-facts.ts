import type { AccountRef } from "../../accounts/account.ts";
import type { ChangeState, StoredChange, Vote } from "../../changes/stored-change.ts";
import { termsWords, oneLine, personWords } from "./change-words.ts";
import { fields, type Field } from "../kit/blocks.ts";
import { code, firstOf, moment, words, type Inline } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import type { Names } from "../kit/post.ts";

const VOTERS = 5;
const REASON = 500;

/** One line per fact: those needed to decide, then those of interest afterwards. */
export function changeFacts(change: StoredChange, names: Names): Block[] {
  const { state, reason, account, undoOf } = change;
  return fields([
    // The headline of a Change that was sent doesn't name the requester.
    field("Asked by", sent.has(state) && [personWords(change.requester)]),
    field("Reason", reason !== undefined && [words(oneLine(reason), REASON)]),
    ...(state === "pending" ? toDecide(change, names) : decided(change)),
    field("Account", accountWords(account)),
    field("Takes back", undoOf !== undefined && [words("change "), code(undoOf, 20)]),
  ]);
}

const sent = new Set<ChangeState>(["done", "failed", "unknown"]);
const running = new Set<ChangeState>(["approved", "claimed"]);

function toDecide(change: StoredChange, names: Names): Field[] {
  const { terms, votes, expiresAt } = change;
  return [
    field("Risk", [words(riskWords(change))]),
    field("Needs", terms !== undefined && termsWords(terms, names)),
    field("Votes", terms !== undefined && votesSoFar(votes, terms.votes)),
    field("Expires", expiresAt !== undefined && [moment(expiresAt.toISOString())]),
  ];
}

function decided(change: StoredChange): Field[] {
  const { state, votes } = change;
  return [
    field("Risk", running.has(state) && [words(riskWords(change))]),
    // Drift voids the approvals.
    field("Approved by", state !== "drifted" && voters(votes)),
  ];
}

function field(label: string, value: readonly Inline[] | false): Field {
  return { label, value: value === false ? [] : value };
}

/** The risk in words. Only a deletion can't be undone. */
function riskWords({ op, risk }: Pick<StoredChange, "op" | "risk">): string {
  if (op === "deleteService" || op === "deleteJob") return "destructive, cannot be undone";
  if (risk === "destructive") return "destructive, takes something away";
  return risk === "disruptive" ? "disruptive, interrupts it" : "routine";
}

function voters(votes: readonly Vote[]): Inline[] {
  return firstOf(votes, VOTERS, ({ name }) => words(name, 60));
}

/** "1 of 2: Alex Kim". */
function votesSoFar(votes: readonly Vote[], needed: number): Inline[] {
  const count = words(`${votes.length} of ${needed}`);
  return votes.length === 0 ? [count] : [count, words(": "), ...voters(votes)];
}

/** The workspace's account is the default and isn't mentioned. */
function accountWords({ owner, username }: AccountRef): Inline[] | false {
  if (owner.kind === "workspace") return false;
  const whose = owner.kind === "channel" ? "the channel's" : "their own";
  return [code(username, 100), words(`, ${whose}`)];
}
