import type { Button } from "@slack/types";
import type { Ask } from "../../ask.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import type { Suggestion } from "../../errors.ts";
import type { Action } from "./action-id.ts";
import { actionButton, actions, type Block } from "./blocks.ts";
import type { WatchPlace } from "../../watch/watch.ts";
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

type Muting = { readonly names: string; readonly until: string; readonly place: WatchPlace };

type Placed = { readonly at: number; readonly style?: "danger" | undefined };

/** Undefined when the Ask is too long for a button. */
export function runButton(label: string, ask: Ask, { at, style }: Placed): Button | undefined {
  return actionButton({ label, action: { kind: "run", at }, value: JSON.stringify(ask), style });
}

/** Mutes in a place, or with `off` ends a mute there, wherever the button is. */
export function muteButton(label: string, { names, until, place }: Muting): Button | undefined {
  const where = place.kind === "dm" ? { dm: true } : { in: place.channelId };
  const args = { name: names === "*" ? "all" : names, until: [until], ...where };
  return runButton(label, { verb: "mute", share: false, args }, { at: 0 });
}

export type RequestAct = Exclude<(Action & { readonly kind: "request" })["act"], "look">;
type Look = { readonly label: string; readonly style?: "danger" | undefined };

export const requestButtons: Readonly<Record<RequestAct, Look>> = {
  approve: { label: "Approve" },
  reject: { label: "Reject" },
  cancel: { label: "Cancel request" },
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
  /** The only value is the name of the workload, from which the form's own first values follow. */
  readonly isAbout?: true;
  readonly region?: string | undefined;
};

/** A button that opens a pre-filled form; undefined when its value would be too long. */
export function openButton(
  label: string,
  { verb, values, region, isAbout }: FormOpening,
  style?: "danger",
): Button | undefined {
  const value = JSON.stringify({ verb, values, region, isAbout });
  return actionButton({ label, action: { kind: "openForm", verb }, value, style });
}

type Named = {
  /** `service/web` or `job/report`. */
  readonly name: string;
  readonly region: string;
};

/** The workload of the row of a `formMenu`. */
export function workloadOfMenu(blockId: string): Named | undefined {
  const [, region, name] = /^of:([\w.-]+):((?:service|job)\/[\w.-]+)$/u.exec(blockId) ?? [];
  return region === undefined || name === undefined ? undefined : { region, name };
}
