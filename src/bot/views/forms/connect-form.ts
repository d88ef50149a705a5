import type { ModalView } from "@slack/types";
import type { AccountOwner } from "../../accounts/resolve.ts";
import { connectedWords, forWhom } from "../messages/account-message.ts";
import { limits, section } from "../kit/blocks.ts";
import { words, code } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { modal, textInput } from "./modal.ts";

export const connectTitle = "Connect an account";

const USERNAME = 255;
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

/** Asks for an account, so that no token is typed into a command. Its fields are `username` and `token`. */
export function connectForm({ owner, metadata, username, problems = [] }: ConnectForm): ModalView {
  return modal({
    title: connectTitle,
    close: "Cancel",
    form: { callbackId: "account:connect", submit: "Connect", metadata },
    blocks: [
      ...problems.slice(0, PROBLEMS).map(wrong),
      section([words("I'll use this account "), ...forWhom(owner)]),
      textInput({
        id: "username",
        label: "User name",
        hint: "The account's user name in the workload API.",
        initial: username,
        maxLength: USERNAME,
      }),
      textInput({
        id: "token",
        label: "API token",
        hint: "Visible while you type. I test it once, store it encrypted and never show it again.",
        maxLength: limits.inputLength,
      }),
    ],
  });
}

function wrong(problem: string): Block {
  return section([words(`❌ Nothing was connected. ${problem}`, 900)]);
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
