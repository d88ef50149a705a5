import type { ModalView } from "@slack/types";
import { connectedWords, type LinkOwner } from "../messages/account-message.ts";
import { section } from "../kit/blocks.ts";
import { connectTitle } from "./connect-form.ts";
import { code, words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { modal } from "./modal.ts";

export type ConnectResult =
  /** The account is being tried with one call. */
  | { readonly kind: "checking"; readonly username: string }
  | { readonly kind: "done"; readonly owner: LinkOwner; readonly username: string; readonly command: string }
  /** Whether the account is good could not be found out, or it could not be stored: nothing was linked. */
  | { readonly kind: "failed"; readonly why: string; readonly next: string };

/** What the form becomes when it was sent. */
export function connectResult(result: ConnectResult): ModalView {
  return modal({ title: connectTitle, blocks: [body(result)] });
}

function body(result: ConnectResult): Block {
  switch (result.kind) {
    case "checking":
      return section(
        [words("⏳ Trying the account "), code(result.username, 100), words(" with one call to the service…")],
        "This takes a few seconds.",
      );
    case "done":
      return section([words("✅ Linked: "), ...connectedWords(result)], `See it with \`${result.command} whoami\``);
    case "failed":
      return section([words(`❌ Nothing was linked. ${result.why}`, 700)], [words(result.next, 700)]);
  }
}
