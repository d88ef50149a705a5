import type { Verdict } from "../../policy/verdict.ts";
import { context, section, type Line } from "../kit/blocks.ts";
import { channel, code, firstOf, words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";
import { counted, truncate } from "../kit/text.ts";

type Decided = { readonly rule: string; readonly command: string };

/** Why a request was refused. Nothing was stored or sent. */
export type Refusal =
  | { readonly kind: "policy"; readonly verdict: Extract<Verdict, { kind: "refuse" }>; readonly command: string }
  /** The rule requires a reason. */
  | (Decided & { readonly kind: "reason" })
  /** A direct message has no approvers. */
  | (Decided & { readonly kind: "dm" })
  /** The bot can't post in the card's channel. */
  | (Decided & { readonly kind: "no-card"; readonly channelId: string; readonly botName: string })
  /** Too few people could approve. `names`: those who could, without the requester. */
  | (Decided & { readonly kind: "approvers"; readonly needed: number; readonly names: readonly string[] });

/** The reason and the next step, with the rule's name in small print for its maintainers. */
export function refusalMessage(refusal: Refusal): Post {
  const { command } = refusal;
  const rule = refusal.kind === "policy" ? refusal.verdict.rule : refusal.rule;
  const decided = rule === undefined || rule === "" ? "no rule allows it" : `rule “${truncate(rule, 100)}”`;
  const [why, ...next] = lines(refusal);
  return postOf([
    section([words("🚫 "), ...why], ...next),
    context(`Nothing was done · ${decided} · what you may do: ${command} help`),
  ]);
}

type Pieces = Extract<Line, readonly unknown[]>;

function lines(refusal: Refusal): readonly [Pieces, ...Line[]] {
  switch (refusal.kind) {
    case "policy":
      return [[words(refusal.verdict.why, 700)], [words(refusal.verdict.next, 700)]];
    case "reason":
      return [
        [words("This needs a reason, for those who decide and for history.")],
        [words("Ask again and add "), code('--reason "why it is needed"'), words(".")],
      ];
    case "dm":
      return [
        [words("This needs the approval of somebody else, and in this conversation there are only you and Gantry.")],
        [words("Ask in a channel where Gantry and those who may approve are.")],
      ];
    case "no-card":
      return noCard(refusal);
    case "approvers":
      return tooFew(refusal);
  }
}

function noCard({ channelId, botName }: Extract<Refusal, { kind: "no-card" }>): readonly [Pieces, ...Line[]] {
  return [
    [
      words("Others have to see this, and Gantry cannot post in "),
      channel(channelId),
      words(", where its card would stand."),
    ],
    [words("Let it in by typing "), code(`/invite @${botName}`, 100), words(" there, then ask again.")],
  ];
}

function tooFew({ needed, names }: Extract<Refusal, { kind: "approvers" }>): readonly [Pieces, ...Line[]] {
  const could =
    names.length === 0 ? [words("nobody")] : [words("only "), ...firstOf(names, 6, (name) => words(name, 80))];
  return [
    [
      words(`This needs ${counted(needed, "vote")} of people other than you, and `),
      ...could,
      words(" could vote now."),
    ],
    [
      words(
        "Ask where more of those who may approve are members, or ask who keeps the policy to name more approvers or to want fewer votes.",
      ),
    ],
  ];
}
