import { refusesAccount, type Problem } from "../../../api/problem.ts";
import { context, section, fields, actions, suggesting, type Line } from "../kit/blocks.ts";
import { sentence, code, words, channel, firstOf, strong, type Inline } from "../kit/inline.ts";
import { type Message, post, type Post, postOf } from "../kit/post.ts";
import type { UserError } from "../../errors.ts";
import { suggestionButtons, openButton, type FormOpening } from "../kit/ask-buttons.ts";
import { saidOnce, counted, truncate } from "../kit/text.ts";
import { withCommand } from "./sentences.ts";
import type { Verdict } from "../../policy/policy.ts";

type ProblemContext = {
  readonly reference: string;
  /** Of the verb. A write that ends here was never stored, so nothing was changed. */
  readonly effect: "read" | "write";
};

const connectOwn: FormOpening = { verb: "connect", values: { whose: "mine" } };

/** The workload API refused or failed: what happened, whether anything changed, and what to do. */
export function problemMessage(
  problem: Pick<Problem, "sentence" | "next" | "status">,
  { reference, effect }: ProblemContext,
): Message {
  const { status } = problem;
  const [failed, next] = saidOnce([
    problem.sentence,
    effect === "write" ? `Nothing was changed. ${problem.next}` : problem.next,
  ]);
  return post(`${failed} ${next}`, [
    section([words("❌ "), ...sentence(failed)], next),
    ...(refusesAccount(problem) ? actions(openButton("Connect your account", connectOwn)) : []),
    context(`${status === undefined ? "" : `HTTP ${status} · `}Reference ${reference}`),
  ]);
}

/** A mistake that the person can fix: the problem, the next step, and the usage. */
export function userErrorMessage(mistake: Mistake, command: string): Message {
  const { usage, example, suggestions } = mistake;
  const [message, then] = saidOnce([withCommand(mistake.message, command), withCommand(mistake.next ?? "", command)]);
  const next = then === "" ? undefined : then;
  const written = usage === undefined ? [] : [`Usage: ${command} ${usage}`];
  return post([message, ...(next === undefined ? [] : [next]), ...written].join("\n").replaceAll("`", ""), [
    section(message, ...(next === undefined ? [] : [next])),
    ...fields([
      { label: "Usage", value: usage === undefined ? [] : [code(`${command} ${usage}`, 500)] },
      { label: "Example", value: example === undefined ? [] : [code(`${command} ${example}`, 500)] },
    ]),
    ...suggestionButtons(suggestions, command),
  ]);
}

type Mistake = Pick<UserError, "message" | "next" | "usage" | "example" | "suggestions">;

/** A mention has no trigger_id, so the form can only be opened with a button, beside those of the likeliest requests. */
export function mistakeWithForm(
  mistake: Pick<Mistake, "message" | "next" | "suggestions">,
  opening: FormOpening,
  command: string,
): Message {
  const { message, next, suggestions } = mistake;
  const { text, blocks } = userErrorMessage(
    { message, next, usage: undefined, example: undefined, suggestions: [] },
    command,
  );
  const buttons =
    suggestions.length === 0
      ? suggesting(openButton("Open form", opening))
      : suggestionButtons(suggestions, command, openButton("Other…", opening));
  return { text, blocks: [...blocks, ...buttons] };
}

/** A bug in Gantry. The reference is also in the log, next to the stack. */
export function bugMessage(reference: string): Message {
  const what = "❌ Something went wrong in Gantry.";
  const next = "If you changed a workload, check it before you try again. To report this, contact your Gantry admin.";
  return post(`${what} ${next} Reference ${reference}`, [section(what, next, `Reference \`${reference}\``)]);
}

type Decided = { readonly rule: string; readonly command: string };

/** Why a request was refused. Nothing was stored or sent. */
export type Refusal =
  /** The workload API would refuse it. A sentence for each workload. */
  | { readonly kind: "api"; readonly why: string; readonly others: readonly string[] }
  | { readonly kind: "policy"; readonly verdict: Extract<Verdict, { kind: "refuse" }>; readonly command: string }
  /** The rule requires a reason. */
  | (Decided & { readonly kind: "reason" })
  /** A direct message has no approvers. */
  | (Decided & { readonly kind: "dm" })
  /** The bot can't post in the card's channel. */
  | (Decided & { readonly kind: "no-card"; readonly channelId: string; readonly botName: string })
  /** Too few people could approve. `names`: those who could, without the requester. */
  | (Decided & { readonly kind: "approvers"; readonly needed: number; readonly names: readonly string[] });

/** The reason and the next step, with the rule's name in small print for Gantry admins. */
export function refusalMessage(refusal: Refusal): Post {
  const [why, ...next] = lines(refusal);
  return postOf([section([words("🚫 "), ...why], ...next), context(`Nothing was changed${decided(refusal)}`)]);
}

/** Help lists what policy allows, which is no answer to a refusal of the workload API. */
function decided(refusal: Refusal): string {
  if (refusal.kind === "api") return "";
  const rule = refusal.kind === "policy" ? refusal.verdict.rule : refusal.rule;
  const by = rule === undefined || rule === "" ? "" : ` · policy: ${truncate(rule, 100)}`;
  return `${by} · to see what you can do: ${refusal.command} help`;
}

type Pieces = Extract<Line, readonly unknown[]>;

/** Room for each of many workloads. */
const REASON = 400;

function lines(refusal: Refusal): readonly [Pieces, ...Line[]] {
  switch (refusal.kind) {
    case "policy": {
      const { verdict, command } = refusal;
      return [policyText(verdict.why), policyText(withCommand(verdict.next, command))];
    }
    case "api": {
      // The small print says it.
      const [, why, ...others] = saidOnce(["Nothing was changed.", refusal.why, ...refusal.others]);
      return [[words(why, REASON)], ...others.filter((each) => each !== "").map((each) => [words(each, REASON)])];
    }
    case "reason":
      return [
        [words("This request needs a reason.")],
        [words("Request it again with "), code('--reason "orders time out"'), words(".")],
      ];
    case "dm":
      return [
        [words("This request needs an approval, and nobody else is in this conversation.")],
        [words("Request it in a channel with me and the approvers.")],
      ];
    case "no-card":
      return [
        [words("I can't post an approval card in "), channel(refusal.channelId), words(".")],
        [words("Invite me with "), code(`/invite @${refusal.botName}`, 100), words(", then try again.")],
      ];
    case "approvers":
      return tooFew(refusal);
  }
}

function tooFew({ needed, names }: Extract<Refusal, { kind: "approvers" }>): readonly [Pieces, ...Line[]] {
  const can =
    names.length === 0 ? [words("nobody")] : [words("only "), ...firstOf(names, 6, (name) => words(name, 80))];
  return [
    [words(`This request needs ${counted(needed, "approval")}, and `), ...can, words(" can approve here.")],
    [words("Request it in a channel with more approvers, or ask your Gantry admin to change the policy.")],
  ];
}

const LONGEST = 700;
/** Only this sentence of ours names channels. Elsewhere, "#C0123ABCD" may be part of a workload's name. */
const elsewhere = "Request it in ";

/** Policy's plain sentences for Slack: “quoted names” are bold, `code` is code, #C0123ABCD can be a channel. */
export function policyText(text: string): Inline[] {
  const namesChannels = text.startsWith(elsewhere);
  return truncate(text, LONGEST)
    .split(/(“[^“”]+”|`[^`]+`|#[CG][A-Z0-9]{4,})/u)
    .filter((part) => part !== "")
    .map((part) => {
      if (/^“.+”$/u.test(part)) return strong(part.slice(1, -1), LONGEST);
      if (/^`.+`$/u.test(part)) return code(part.slice(1, -1), LONGEST);
      const isChannel = namesChannels && /^#[CG][A-Z0-9]{4,}$/u.test(part);
      return isChannel ? channel(part.slice(1)) : words(part, LONGEST);
    });
}
