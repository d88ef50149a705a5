import type { Ask } from "../../ask.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import type { Suggestion } from "../../errors.ts";
import { actionButton, actions } from "../kit/blocks.ts";
import type { Block } from "../kit/message.ts";
import type { Button } from "@slack/types";

const MOST = 5;

/** Buttons that run an Ask as if its words had been typed by whoever clicks, and one that follows them. */
export function suggestionButtons(suggestions: readonly Suggestion[], command: string, last?: Button): Block[] {
  const runs = suggestions.slice(0, MOST).map(({ ask, words, label }, at) =>
    runButton(label ?? `Run ${command} ${words ?? ask.verb}`, ask, {
      at,
      ...(ask.verb === "delete" && { style: "danger" }),
    }),
  );
  return actions(...runs, last);
}

type Placed = { readonly at: number; readonly style?: "primary" | "danger" };

/** Undefined when the Ask is too long for a button. */
export function runButton(label: string, ask: Ask, { at, style }: Placed): Button | undefined {
  return actionButton({ label, action: { kind: "run", at }, value: JSON.stringify(ask), style });
}

/** All that a verb with these actions can do is destructive, so its buttons warn. */
export function isDangerous(actions: readonly { readonly risk: Risk | undefined }[]): boolean {
  return actions.length > 0 && actions.every(({ risk }) => risk === "destructive");
}
