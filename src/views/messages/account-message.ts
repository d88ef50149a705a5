import type { AccountOwner } from "../../accounts/account.ts";
import { section, type Line } from "../kit/blocks.ts";
import { channel, code, words, type Inline } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";

/** The owner of a linked account: a person or a channel. */
export type LinkOwner = Exclude<AccountOwner, { readonly kind: "workspace" }>;

export type AccountMessage =
  | { readonly kind: "connected"; readonly owner: LinkOwner; readonly username: string; readonly command: string }
  | { readonly kind: "disconnected" | "nothing-linked"; readonly owner: LinkOwner; readonly command: string };

/** Confirms that an account was linked or unlinked. */
export function accountMessage(message: AccountMessage): Post {
  const [first, ...rest] = lines(message);
  return postOf([section(first, ...rest)]);
}

function lines(message: AccountMessage): readonly [Line, ...Line[]] {
  const { command, owner } = message;
  const now = `What you act with now: \`${command} whoami\``;
  switch (message.kind) {
    case "connected":
      return [
        [words("✅ Linked: "), ...connectedWords(message)],
        `See it with \`${command} whoami\`, unlink it with \`${command} disconnect${argumentOf(owner)}\``,
      ];
    case "disconnected":
      return [
        [words("✅ Unlinked "), ...whose(owner), words(". Gantry has forgotten its token.")],
        "The token itself still works: revoke it at the service if nobody else needs it.",
        now,
      ];
    case "nothing-linked":
      return [
        [words("There is nothing to unlink: "), ...none(owner)],
        `Link one with \`${command} connect${argumentOf(owner)}\``,
        now,
      ];
  }
}

export function connectedWords({
  owner,
  username,
}: {
  readonly owner: LinkOwner;
  readonly username: string;
}): Inline[] {
  return [words("Gantry acts with the account "), code(username, 100), words(" "), ...forWhom(owner)];
}

/** Ends the sentence: for whom the account is used. */
export function forWhom(owner: LinkOwner): Inline[] {
  if (owner.kind === "user") return [words("for you alone, wherever you ask.")];
  return [words("in "), channel(owner.channelId), words(", for everybody there who has not linked their own.")];
}

function whose(owner: LinkOwner): Inline[] {
  return owner.kind === "user" ? [words("your own account")] : [words("the account of "), channel(owner.channelId)];
}

function none(owner: LinkOwner): Inline[] {
  if (owner.kind === "user") return [words("you have no account of your own here.")];
  return [channel(owner.channelId), words(" has no account of its own.")];
}

function argumentOf({ kind }: LinkOwner): string {
  return kind === "channel" ? " channel" : "";
}
