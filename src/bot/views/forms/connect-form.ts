import type { ModalView } from "@slack/types";
import type { AccountOwner } from "../../accounts/resolve.ts";
import { limits, section, type Block, type Line } from "../kit/blocks.ts";
import { words, code, channel, type Inline } from "../kit/inline.ts";
import type { FormField } from "../../commands/forms/form.ts";
import { formInput } from "./form-element.ts";
import { modal } from "./modal.ts";
import { type Post, postOf } from "../kit/post.ts";

export const connectTitle = "Connect an account";

const PROBLEMS = 4;

export type ConnectForm = {
  readonly owner: AccountOwner;
  /** Comes back with the submission; at most 3,000 characters. */
  readonly metadata: string;
  /** As typed before. The token is never shown again. */
  readonly username?: string;
  /** Complete sentences, when the form is shown again. */
  readonly problems?: readonly string[];
};

const usernameField: FormField = {
  id: "username",
  label: "User name",
  hint: "The account's user name in the workload API.",
  input: { kind: "text", maxLength: 255 },
};

const tokenField: FormField = {
  id: "token",
  label: "API token",
  hint: "Visible while you type. I test it once, store it encrypted and never show it again.",
  input: { kind: "text", maxLength: limits.inputLength },
};

/** Asks for an account, so that no token is typed into a command. Its fields are `username` and `token`. */
export function connectForm({ owner, metadata, username, problems = [] }: ConnectForm): ModalView {
  return modal({
    title: connectTitle,
    close: "Cancel",
    form: { callbackId: "account:connect", submit: "Connect", metadata },
    blocks: [
      ...problems.slice(0, PROBLEMS).map((problem) => section([words(`❌ Nothing was connected. ${problem}`, 900)])),
      section([words("I'll use this account "), ...forWhom(owner)]),
      formInput(usernameField, { value: username }),
      formInput(tokenField),
    ],
  });
}

export type ConnectResult =
  /** The account is being tested with one call. */
  | { readonly kind: "checking"; readonly username: string }
  | { readonly kind: "done"; readonly owner: AccountOwner; readonly username: string; readonly command: string }
  /** The account couldn't be tested or stored; nothing was connected. */
  | { readonly kind: "failed"; readonly why: string; readonly next: string };

/** Replaces the form after its submission. */
export function connectResult(result: ConnectResult): ModalView {
  return modal({ title: connectTitle, blocks: [body(result)] });
}

function body(result: ConnectResult): Block {
  switch (result.kind) {
    case "checking":
      return section(
        [words("⏳ Testing the account "), code(result.username, 100), words(" with the workload API…")],
        "This takes a few seconds.",
      );
    case "done":
      return section(
        [words("✅ Account connected. "), ...connectedWords(result)],
        `To check it: \`${result.command} whoami\``,
      );
    case "failed":
      return section([words(`❌ Nothing was connected. ${result.why}`, 700)], [words(result.next, 700)]);
  }
}

export type AccountMessage =
  | { readonly kind: "connected"; readonly owner: AccountOwner; readonly username: string; readonly command: string }
  | { readonly kind: "disconnected" | "nothing-linked"; readonly owner: AccountOwner; readonly command: string };

/** Confirms that an account was connected or disconnected. */
export function accountMessage(message: AccountMessage): Post {
  return postOf([section(...lines(message))]);
}

function lines(message: AccountMessage): readonly [Line, ...Line[]] {
  const { command, owner } = message;
  const now = `See which account you use now: \`${command} whoami\``;
  const itsChannel = owner.kind === "channel" ? [channel(owner.channelId)] : [];
  switch (message.kind) {
    case "connected":
      return [
        [words("✅ Account connected. "), ...connectedWords(message)],
        `To check it: \`${command} whoami\`. To disconnect it: \`${command} disconnect${argumentOf(owner)}\``,
      ];
    case "disconnected":
      return [
        [words("✅ Disconnected "), words(whose[owner.kind]), ...itsChannel, words(". I deleted its token here.")],
        "The token still works in the workload API. Revoke it there if nobody needs it.",
        now,
      ];
    case "nothing-linked":
      return [
        [words("Nothing to disconnect: "), ...itsChannel, words(missing[owner.kind])],
        `To connect an account: \`${command} connect${argumentOf(owner)}\``,
        now,
      ];
  }
}

/** A channel's name follows. */
const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "your account",
  workspace: "the workspace's account",
  channel: "the account of ",
};

/** A channel's name precedes. */
const missing: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "you haven't connected an account.",
  workspace: "the workspace has no connected account.",
  channel: " has no account.",
};

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

function argumentOf({ kind }: AccountOwner): string {
  return kind === "user" ? "" : ` ${kind}`;
}
