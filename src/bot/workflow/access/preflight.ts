import type { Asker } from "../../commands/command.ts";
import type { Terms } from "../../policy/policy.ts";
import type { Post } from "../../views/kit/message.ts";
import { counted } from "../../views/kit/text.ts";
import { refusalMessage } from "../../views/messages/refusal-message.ts";
import { beforeNo, findApprovers, type Found } from "./approvers.ts";
import { isDirect } from "../origin.ts";
import { freshness, type WorkflowParts } from "../ports.ts";

type Refused = { readonly post: Post; readonly why: string };
type Wanted = { readonly terms: Terms; readonly rule: string; readonly asker: Pick<Asker, "userId" | "channelId"> };

/**
 * Before a card is posted: can it stand there, and could enough people approve it? A request that nobody can see or
 * decide is refused at once. Throws a `UserError` when Slack can't say whether the card can stand there, or won't say who
 * could approve.
 */
export async function preflight(
  deps: Pick<WorkflowParts, "people" | "settings">,
  { terms, rule, asker }: Wanted,
): Promise<Refused | undefined> {
  const { command } = deps.settings;
  const channelId = terms.cardIn ?? asker.channelId;
  // Nobody else sees a direct conversation.
  if (isDirect(channelId)) {
    return { post: refusalMessage({ kind: "dm", rule, command }), why: "a direct message has no approvers" };
  }
  return (await noCardThere(deps, { channelId, rule })) ?? tooFew(deps, { terms, rule, asker }, channelId);
}

/** Breaking the glass has to be seen by a channel: it is refused where nobody would see it. Throws like `preflight`. */
export async function preflightGlass(
  deps: Pick<WorkflowParts, "people" | "settings">,
  { rule, asker: { channelId } }: Omit<Wanted, "terms">,
): Promise<Refused | undefined> {
  if (!isDirect(channelId)) return noCardThere(deps, { channelId, rule });
  const why = "You can't use break-glass here: nobody else would see it.";
  const verdict = { kind: "refuse", rule, why, next: "Request it in a channel with the people it affects." } as const;
  return { post: refusalMessage({ kind: "policy", verdict, command: deps.settings.command }), why };
}

async function noCardThere(
  { people, settings }: Pick<WorkflowParts, "people" | "settings">,
  { channelId, rule }: { readonly channelId: string; readonly rule: string },
): Promise<Refused | undefined> {
  const bot = people.bot();
  const isIn = (members: ReadonlySet<string> | undefined): boolean =>
    members !== undefined && (bot.userId === undefined || members.has(bot.userId));
  const known = await beforeNo(people, (maxAgeMs) => people.channelMembers(channelId, maxAgeMs), isIn);
  if (isIn(known)) return undefined;
  const { command } = settings;
  const post = refusalMessage({ kind: "no-card", rule, command, channelId, botName: bot.name });
  return { post, why: "Gantry isn't in the channel of the approval card" };
}

async function tooFew(
  { people, settings }: Pick<WorkflowParts, "people" | "settings">,
  { terms, rule, asker }: Wanted,
  channelId: string,
): Promise<Refused | undefined> {
  const { from, votes: needed, selfApproval } = terms;
  const without = selfApproval ? undefined : asker.userId;
  // Whoever wasn't looked up may be able to: only a complete answer refuses.
  const isPossible = ({ profiles, isComplete }: Found): boolean => profiles.length >= needed || !isComplete;
  const look = (maxAgeMs: number): Promise<Found> =>
    findApprovers(people, { from, channelId, without, enough: needed, maxAgeMs });
  const found = await beforeNo(people, look, isPossible, freshness.reading);
  if (found.refusal !== undefined && found.profiles.length < needed) throw found.refusal;
  if (isPossible(found)) return undefined;
  const names = found.profiles.map(({ name }) => name);
  const post = refusalMessage({ kind: "approvers", rule, command: settings.command, needed, names });
  return {
    post,
    why: `${counted(needed, "approval")} needed, and ${names.length === 0 ? "nobody" : `only ${names.join(", ")}`} could approve`,
  };
}
