import type { Button } from "@slack/types";
import type { Job, Service } from "../../../../api/answers.ts";
import { isStatus, type Level, serviceStatus } from "../../../../api/workload-status.ts";
import type { Ask } from "../../../ask.ts";
import { button, limits } from "../../../views/kit/blocks.ts";
import type { Block } from "../../../views/kit/message.ts";
import { openButton } from "../../../views/forms/open-button.ts";
import { menuId, type MenuOption, rowWithMenu, valuesFor } from "../../../views/forms/open-menu.ts";

/** Decides with the workload's state which buttons a card has. */
export type CardActions = {
  /** The verbs that policy would not refuse. */
  readonly mayDo: readonly string[];
  /** True for a card that everybody in the channel sees. */
  readonly isShared: boolean;
};

type Carded = CardActions & {
  readonly kind: "service" | "job";
  readonly name: string;
  readonly region: string;
};

type Row = { readonly first: readonly string[]; readonly rest: readonly string[] };

/** The verbs by state: those that help most are buttons, the others are in the menu. */
const rows: Readonly<Record<Level, Row>> = {
  healthy: { first: ["logs", "restart", "scale"], rest: ["stop", "memory", "domains", "create"] },
  busy: { first: ["logs", "restart", "stop"], rest: ["scale", "memory", "domains", "create"] },
  failing: { first: ["logs", "restart", "stop"], rest: ["memory", "scale", "domains", "create"] },
  idle: { first: ["start", "logs"], rest: ["scale", "memory", "domains", "create"] },
};
const leaving: Row = { first: ["logs", "create"], rest: [] };
const ofJobs: Row = { first: ["logs", "create"], rest: [] };
const ofCronJobs: Row = { first: ["run", "logs"], rest: ["create"] };

const labels: Readonly<Record<string, string>> = {
  logs: "Logs",
  run: "Run now",
  restart: "Restart",
  scale: "Scale",
  stop: "Stop",
  start: "Start",
  memory: "Memory",
  domains: "Domains",
  create: "Create like this",
  delete: "Delete",
};

/** `post` numbers buttons with an Ask, which makes them longer. */
const GROWTH = 20;
/** The JSON of a row without buttons, and of a menu. */
const ROWS = 700;

/** The buttons for a service in this state. */
export function serviceButtons(
  service: Service,
  placed: CardActions & { readonly region: string },
  card: readonly Block[],
): Block[] {
  const isLeaving = isStatus(service.status, "deleting");
  const row = isLeaving ? leaving : rows[serviceStatus(service).level];
  return drawn({ ...placed, kind: "service", name: service.name }, { row, isDeletable: !isLeaving }, card);
}

/** The buttons for a job, which runs only once, and for a CronJob. */
export function jobButtons(
  { metadata: { name }, schedule }: Job,
  placed: CardActions & { readonly region: string },
  card: readonly Block[],
): Block[] {
  const row = schedule === undefined ? ofJobs : ofCronJobs;
  return drawn({ ...placed, kind: "job", name }, { row, isDeletable: true }, card);
}

type Layout = { readonly row: Row; readonly isDeletable: boolean };

/** At most four buttons and a menu, which ends with Delete: nobody hits it by accident, and its form asks for the name. */
function drawn(carded: Carded, { row, isDeletable }: Layout, card: readonly Block[]): Block[] {
  const may = (verbs: readonly string[]) => verbs.filter((verb) => carded.mayDo.includes(verb));
  const workload = { name: target(carded), region: carded.region };
  const inMenu = may([...row.rest, ...(isDeletable ? ["delete"] : [])]);
  const hasMenu = menuId(workload) !== undefined;
  const shown = [...may(row.first), ...(hasMenu ? [] : inMenu)].map((verb) => buttonFor(carded, verb));
  const options: MenuOption[] = hasMenu ? inMenu.map((verb) => ({ verb, label: labelOf(verb) })) : [];
  const drawnRow = rowWithMenu(fitting([...shown, refresh(carded)], card), options, workload);
  return drawnRow === undefined ? [] : [drawnRow];
}

/** As many buttons as fit into the card's message: each one holds the workload's name, which can be long. */
function fitting(all: readonly (Button | undefined)[], card: readonly Block[]): Button[] {
  let room = limits.blocksJson - JSON.stringify(card).length - ROWS;
  return all.flatMap((each) => {
    if (each === undefined) return [];
    room -= JSON.stringify(each).length + GROWTH;
    return room >= 0 ? [each] : [];
  });
}

/** With the kind, because a service and a job may share a name. */
function target({ kind, name }: Carded): string {
  return `${kind}/${name}`;
}

function labelOf(verb: string): string {
  return labels[verb] ?? verb;
}

function buttonFor(card: Carded, verb: string): Button | undefined {
  return verb === "logs" ? button({ label: labelOf(verb), ask: askFor(card, verb) }) : opening(card, verb);
}

/** Opens the verb's form, which previews what will happen. */
function opening(card: Carded, verb: string): Button | undefined {
  const { region } = card;
  const values = valuesFor(verb, { name: target(card), region });
  return openButton(labelOf(verb), { verb, values, region }, verb === "delete" ? "danger" : undefined);
}

/** Replaces the card. */
function refresh(card: Carded): Button | undefined {
  return button({ label: "Refresh", ask: askFor(card, "show") });
}

function askFor(card: Carded, verb: string): Ask {
  return { verb, region: card.region, share: card.isShared, args: { name: target(card) } };
}
