import type { AccountOwner } from "../../accounts/resolve.ts";
import { section, type Line } from "../kit/blocks.ts";
import { channel, code, words, type Inline } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";

export type AccountMessage =
  | { readonly kind: "connected"; readonly owner: AccountOwner; readonly username: string; readonly command: string }
  | { readonly kind: "disconnected" | "nothing-linked"; readonly owner: AccountOwner; readonly command: string };

/** Confirms that an account was connected or disconnected. */
export function accountMessage(message: AccountMessage): Post {
  const [first, ...rest] = lines(message);
  return postOf([section(first, ...rest)]);
}

function lines(message: AccountMessage): readonly [Line, ...Line[]] {
  const { command, owner } = message;
  const now = `See which account you use now: \`${command} whoami\``;
  switch (message.kind) {
    case "connected":
      return [
        [words("✅ Account connected. "), ...connectedWords(message)],
        `To check it: \`${command} whoami\`. To disconnect it: \`${command} disconnect${argumentOf(owner)}\``,
      ];
    case "disconnected":
      return [
        [words("✅ Disconnected "), ...whose(owner), words(". I deleted its token here.")],
        "The token still works in the workload API. Revoke it there if nobody needs it.",
        now,
      ];
    case "nothing-linked":
      return [
        [words("Nothing to disconnect: "), ...none(owner)],
        `To connect an account: \`${command} connect${argumentOf(owner)}\``,
        now,
      ];
  }
}

export function connectedWords({
  owner,
  username,
}: {
  readonly owner: AccountOwner;
  readonly username: string;
}): Inline[] {
  return [words("I'll use "), code(username, 100), words(" "), ...forWhom(owner)];
}

/** Ends the sentence: for whom the account is used. */
export function forWhom(owner: AccountOwner): Inline[] {
  if (owner.kind === "user") return [words("for you only, in every channel.")];
  if (owner.kind === "workspace") return [words("for everybody in this workspace without another account.")];
  return [words("in "), channel(owner.channelId), words(", for everybody without their own account.")];
}

function whose(owner: AccountOwner): Inline[] {
  if (owner.kind === "workspace") return [words("the workspace's account")];
  return owner.kind === "user" ? [words("your account")] : [words("the account of "), channel(owner.channelId)];
}

function none(owner: AccountOwner): Inline[] {
  if (owner.kind === "user") return [words("you haven't connected an account.")];
  if (owner.kind === "workspace") return [words("the workspace has no connected account.")];
  return [channel(owner.channelId), words(" has no account.")];
}

function argumentOf({ kind }: AccountOwner): string {
  return kind === "user" ? "" : ` ${kind}`;
}
