import type { Asker } from "../commands/command.ts";
import type { Terms } from "../policy/verdict.ts";
import type { Post } from "../views/message.ts";
import { refusalMessage } from "../views/refusal-message.ts";
import { findApprovers } from "./approvers.ts";
import { freshness } from "./people.ts";
import type { Shell } from "./shell.ts";

type Wanted = { readonly terms: Terms; readonly rule: string; readonly asker: Asker };

/**
 * Before a card is posted: can it stand there, and could enough people approve it? A request that nobody can see or
 * decide is refused at once. Rejects when Slack does not tell.
 */
export async function preflight(
  shell: Shell,
  { terms, rule, asker }: Wanted,
): Promise<{ readonly post: Post; readonly why: string } | undefined> {
  const { people, identity, settings } = shell;
  const { command } = settings;
  const channelId = terms.cardIn ?? asker.channelId;
  if (
    channelId.startsWith("D") &&
    terms.from.channelMembers &&
    terms.from.users.length + terms.from.groups.length === 0
  ) {
    return { post: refusalMessage({ kind: "dm", rule, command }), why: "nobody else is in a direct conversation" };
  }
  if (!channelId.startsWith("D")) {
    const members = await people.channelMembers(channelId, freshness.deciding);
    const bot = identity.botUserId();
    if (members === undefined || (bot !== undefined && !members.has(bot))) {
      const botName = identity.botName();
      const post = refusalMessage({ kind: "no-card", rule, command, channelId, botName });
      return { post, why: "the bot is not in the channel where the card would stand" };
    }
  }
  const found = await findApprovers(
    { people, botUserId: identity.botUserId },
    {
      from: terms.from,
      channelId,
      without: terms.selfApproval ? undefined : asker.userId,
      enough: terms.votes,
    },
  );
  if (found.profiles.length >= terms.votes) return undefined;
  const names = found.profiles.map(({ name }) => name);
  const post = refusalMessage({ kind: "approvers", rule, command, needed: terms.votes, names });
  return { post, why: `${terms.votes} votes are needed, and ${names.length} others could vote` };
}
