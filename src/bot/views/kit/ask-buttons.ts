import type { Button, ActionsBlock, ActionsBlockElement, Overflow } from "@slack/types";
import type { Ask } from "../../ask.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import type { Suggestion } from "../../errors.ts";
import type { Action } from "./action-id.ts";
import { actionButton, actions, type Block, overflow } from "./blocks.ts";
import type { FormValues } from "../../commands/forms/form.ts";

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

/** Its answer is shown below the message, to the person who clicked; another read would replace the message for everybody. */
export function besideButton(label: string, ask: Ask): Button | undefined {
  return actionButton({ label, action: { kind: "readBeside", verb: ask.verb }, value: JSON.stringify(ask) });
}

type Placed = { readonly at: number; readonly style?: "primary" | "danger" };

/** Undefined when the Ask is too long for a button. */
export function runButton(label: string, ask: Ask, { at, style }: Placed): Button | undefined {
  return actionButton({ label, action: { kind: "run", at }, value: JSON.stringify(ask), style });
}

export type RequestAct = Exclude<(Action & { readonly kind: "request" })["act"], "look">;
type Look = { readonly label: string; readonly style?: "primary" | "danger" };

export const requestButtons: Readonly<Record<RequestAct, Look>> = {
  approve: { label: "Approve", style: "primary" },
  reject: { label: "Reject", style: "danger" },
  cancel: { label: "Cancel" },
  undo: { label: "Undo" },
  again: { label: "Request again" },
  show: { label: "Show" },
  logs: { label: "Logs" },
};

/** A button about a request, whose value is the request's id. `isBeside`: on another message than its card. */
export function requestButton(
  act: RequestAct,
  value: string,
  { isBeside = false, ...own }: Partial<Look> & { readonly isBeside?: boolean } = {},
): Button | undefined {
  const action = { kind: "request", act, isBeside } as const; // a literal kind
  return actionButton({ ...requestButtons[act], ...own, action, value });
}

/** All that a verb with these actions can do is destructive, so its buttons warn. */
export function isDangerous(actions: readonly { readonly risk: Risk | undefined }[]): boolean {
  return actions.length > 0 && actions.every(({ risk }) => risk === "destructive");
}

/** The value of a button that opens a form: the verb, the form's values, and the region for lookups. */
export type FormOpening = {
  readonly verb: string;
  readonly values: FormValues;
  readonly region?: string | undefined;
};

/** A button that opens a pre-filled form; undefined when its value would be too long. */
export function openButton(
  label: string,
  { verb, values, region }: FormOpening,
  style?: "primary" | "danger",
): Button | undefined {
  const value = JSON.stringify({ verb, values, region });
  return actionButton({ label, action: { kind: "openForm", verb }, value, style });
}

const PREFIX = "of:";
/** https://docs.slack.dev/reference/block-kit/blocks/actions-block: 255 characters. */
const LONGEST = 255;

type Named = {
  /** `service/web` or `job/report`. */
  readonly name: string;
  readonly region: string;
};

export type MenuOption = { readonly verb: string; readonly label: string };

/** A row of buttons with a "…" menu at its end. An option is too short for a long name, so the row's id holds it. */
export function rowWithMenu(
  buttons: readonly ActionsBlockElement[],
  options: readonly MenuOption[],
  workload: Named,
): ActionsBlock | undefined {
  const id = menuId(workload);
  const menu: Overflow | undefined =
    id === undefined
      ? undefined
      : overflow({
          action: { kind: "formMenu" },
          options: options.map(({ verb, label }) => ({ value: verb, text: label })),
        });
  const elements = [...buttons, ...(menu === undefined ? [] : [menu])];
  if (elements.length === 0) return undefined;
  return { type: "actions", elements, ...(menu !== undefined && id !== undefined && { block_id: id }) };
}

/** Undefined for names that don't fit or that could be read in two ways; their options become buttons. */
export function menuId({ name, region }: Named): string | undefined {
  const id = `${PREFIX}${region}:${name}`;
  return /^of:[\w.-]+:(?:service|job)\/[\w.-]+$/u.test(id) && id.length <= LONGEST ? id : undefined;
}

/** The workload of a menu's row. */
export function workloadOfMenu(blockId: string): Named | undefined {
  const [, region, name] = /^of:([\w.-]+):((?:service|job)\/[\w.-]+)$/u.exec(blockId) ?? [];
  return region === undefined || name === undefined ? undefined : { region, name };
}
