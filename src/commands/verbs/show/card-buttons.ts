import type { Button } from "@slack/types";
import type { Service } from "../../../api/answers.ts";
import type { Ask } from "../../ask.ts";
import { actions, button, limits } from "../../../views/kit/blocks.ts";
import type { Block } from "../../../views/kit/message.ts";
import { openButton } from "../../../views/forms/open-button.ts";

/** Which buttons a card has, beside what the state of the workload leaves. */
export type CardActions = {
  /** The verbs that would not be refused; `show` is taken for granted. */
  readonly mayDo: readonly string[];
  /** Whether the card stands in the channel for everybody: then it stays there. */
  readonly isShared: boolean;
};

type Placed = CardActions & { readonly region: string };
type Buttons = readonly (Button | undefined)[];

/** What a button may still grow by: `post` numbers those that carry an Ask. */
const GROWTH = 20;
/** The row itself, without buttons. */
const ROW = 60;

/** The buttons below a card, as many as fit into one message beside it: a very long name stands in each of them. */
export function buttonRow(card: readonly Block[], buttons: Buttons): Block[] {
  const fitting: Button[] = [];
  let room = limits.blocksJson - JSON.stringify(card).length - ROW;
  for (const each of buttons) {
    if (each === undefined) continue;
    room -= JSON.stringify(each).length + GROWTH;
    if (room >= 0) fitting.push(each);
  }
  return actions(...fitting);
}

type Carded = CardActions & {
  readonly kind: "service" | "job";
  readonly name: string;
  readonly region: string;
};

/** What makes sense for a service in that state, in the order of how often it is needed. */
export function serviceButtons({ name, status }: Service, { region, ...context }: Placed): Buttons {
  const card: Carded = { ...context, kind: "service", name, region };
  const isStopped = status === "Stopped";
  const isGoing = status === "Deleting";
  const live = [
    opening(card, "Scale", "scale"),
    isStopped ? undefined : opening(card, "Restart", "restart"),
    isStopped ? opening(card, "Start", "start") : opening(card, "Stop", "stop"),
    opening(card, "Memory", "memory"),
    opening(card, "Domains", "domains"),
  ];
  return [logs(card), ...(isGoing ? [] : live), alike(card), isGoing ? undefined : remove(card), refresh(card)];
}

/** A job runs once: it can be read, made again and deleted. */
export function jobButtons(name: string, { region, ...context }: Placed): Buttons {
  const card: Carded = { ...context, kind: "job", name, region };
  return [logs(card), alike(card), remove(card), refresh(card)];
}

/** Whole, since a name alone may be that of a service and of a job. */
function target({ kind, name }: Carded): string {
  return `${kind}/${name}`;
}

function opening(card: Carded, label: string, verb: string): Button | undefined {
  if (!card.mayDo.includes(verb)) return undefined;
  return openButton(label, { verb, values: { name: target(card) }, region: card.region });
}

function remove(card: Carded): Button | undefined {
  if (!card.mayDo.includes("delete")) return undefined;
  return openButton("Delete", { verb: "delete", values: { name: target(card) }, region: card.region }, "danger");
}

function alike(card: Carded): Button | undefined {
  if (!card.mayDo.includes("create")) return undefined;
  const values = { kind: card.kind, like: target(card) };
  return openButton("Create like this", { verb: "create", values, region: card.region });
}

function logs(card: Carded): Button | undefined {
  return card.mayDo.includes("logs") ? button({ label: "Logs", ask: askFor(card, "logs") }) : undefined;
}

/** The click draws the card anew where it stands. */
function refresh(card: Carded): Button | undefined {
  return button({ label: "Refresh", ask: askFor(card, "show") });
}

function askFor(card: Carded, verb: string): Ask {
  return { verb, region: card.region, share: card.isShared, args: { name: target(card) } };
}
