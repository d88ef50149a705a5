import type { Asker } from "../../commands/command.ts";
import type { Terms } from "../../policy/verdict.ts";
import type { Post } from "../../views/kit/message.ts";
import { counted } from "../../views/kit/text.ts";
import { refusalMessage } from "../../views/messages/refusal-message.ts";
import { findApprovers } from "./approvers.ts";
import { freshness } from "../../slack/directory/people.ts";
import { isDirect } from "../origin.ts";
import type { Shell } from "../shell.ts";

type Refused = { readonly post: Post; readonly why: string };
type Wanted = { readonly terms: Terms; readonly rule: string; readonly asker: Pick<Asker, "userId" | "channelId"> };

/**
 * Before a card is posted: can it stand there, and could enough people approve it? A request that nobody can see or
 * decide is refused at once. Throws a `UserError` when Slack does not tell.
 */
export async function preflight(shell: Shell, { terms, rule, asker }: Wanted): Promise<Refused | undefined> {
  const { command } = shell.settings;
  const channelId = terms.cardIn ?? asker.channelId;
  // Whoever may approve, they do not see what stands in a conversation of two.
  if (isDirect(channelId)) {
    return { post: refusalMessage({ kind: "dm", rule, command }), why: "nobody else is in a direct conversation" };
  }
  return (await noCardThere(shell, { channelId, rule })) ?? tooFew(shell, { terms, rule, asker }, channelId);
}

/** Breaking the glass is told to the channel: where nobody would see it, it stays whole. Throws like `preflight`. */
export async function preflightGlass(
  shell: Shell,
  { rule, asker: { channelId } }: Omit<Wanted, "terms">,
): Promise<Refused | undefined> {
  if (!isDirect(channelId)) return noCardThere(shell, { channelId, rule });
  const why = "Breaking the glass is told to a channel, and here nobody but you would see it.";
  const verdict = { kind: "refuse", rule, why, next: "Ask in the channel of the people it concerns." } as const;
  return { post: refusalMessage({ kind: "policy", verdict, command: shell.settings.command }), why };
}

async function noCardThere(
  { people, identity, settings }: Shell,
  { channelId, rule }: { readonly channelId: string; readonly rule: string },
): Promise<Refused | undefined> {
  const members = await people.channelMembers(channelId, freshness.deciding);
  const bot = identity.botUserId();
  if (members !== undefined && (bot === undefined || members.has(bot))) return undefined;
  const { command } = settings;
  const post = refusalMessage({ kind: "no-card", rule, command, channelId, botName: identity.botName() });
  return { post, why: "the bot is not in the channel where the card would stand" };
}

async function tooFew(
  { people, identity, settings }: Shell,
  { terms, rule, asker }: Wanted,
  channelId: string,
): Promise<Refused | undefined> {
  const { from, votes: needed, selfApproval } = terms;
  const without = selfApproval ? undefined : asker.userId;
  const { botUserId } = identity;
  const found = await findApprovers({ people, botUserId }, { from, channelId, without, enough: needed });
  if (found.profiles.length >= needed) return undefined;
  const names = found.profiles.map(({ name }) => name);
  const post = refusalMessage({ kind: "approvers", rule, command: settings.command, needed, names });
  return {
    post,
    why: `${counted(needed, "approval")} needed, and ${names.length === 0 ? "nobody" : `only ${names.join(", ")}`} could approve`,
  };
}
