import type { AccountOwner } from "../../accounts/account.ts";
import { section, type Line } from "../kit/blocks.ts";
import { channel, code, words, type Inline } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";

/** Whose account is linked: a person's own, or a channel's. */
export type LinkOwner = Exclude<AccountOwner, { readonly kind: "workspace" }>;

export type AccountMessage =
  | { readonly kind: "connected"; readonly owner: LinkOwner; readonly username: string; readonly command: string }
  | { readonly kind: "disconnected" | "nothing-linked"; readonly owner: LinkOwner; readonly command: string };

/** What became of an account, for those who act with it. */
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
        `See it with \`${command} whoami\`, unlink it with \`${command} disconnect${inWords(owner)}\``,
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
        `Link one with \`${command} connect${inWords(owner)}\``,
        now,
      ];
  }
}

/** Who acts with a linked account from now on. */
export function connectedWords({
  owner,
  username,
}: {
  readonly owner: LinkOwner;
  readonly username: string;
}): Inline[] {
  return [words("Gantry acts with the account "), code(username, 100), words(" "), ...forWhom(owner)];
}

/** For whom an account is used, to the end of the sentence. */
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

function inWords({ kind }: LinkOwner): string {
  return kind === "channel" ? " channel" : "";
}
