import type { Button } from "@slack/types";
import type { Service } from "../../../api/answers.ts";
import type { Ask } from "../../ask.ts";
import { actions, button, limits } from "../../../views/kit/blocks.ts";
import type { Block } from "../../../views/kit/message.ts";
import { openButton } from "../../../views/forms/open-button.ts";

/** Decides with the workload's state which buttons a card has. */
export type CardActions = {
  /** The verbs that policy would not refuse. */
  readonly mayDo: readonly string[];
  /** True for a card that everybody in the channel sees. */
  readonly isShared: boolean;
};

type Placed = CardActions & { readonly region: string };
type Buttons = readonly (Button | undefined)[];

/** `post` numbers buttons with an Ask, which makes them longer. */
const GROWTH = 20;
/** The JSON of a row without buttons. */
const ROW = 60;

/** As many buttons as fit into the card's message: each one holds the workload's name, which can be long. */
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

/** The buttons for a service in this state, most used first. */
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

/** The buttons for a job, which runs only once. */
export function jobButtons(name: string, { region, ...context }: Placed): Buttons {
  const card: Carded = { ...context, kind: "job", name, region };
  return [logs(card), alike(card), remove(card), refresh(card)];
}

/** With the kind, because a service and a job may share a name. */
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

/** Replaces the card. */
function refresh(card: Carded): Button | undefined {
  return button({ label: "Refresh", ask: askFor(card, "show") });
}

function askFor(card: Carded, verb: string): Ask {
  return { verb, region: card.region, share: card.isShared, args: { name: target(card) } };
}
