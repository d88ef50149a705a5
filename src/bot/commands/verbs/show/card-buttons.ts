import type { Button } from "@slack/types";
import type { Job, Service } from "../../../../api/answers.ts";
import { isStatus, type Level, serviceStatus } from "../../../../api/workload-status.ts";
import type { Ask } from "../../../ask.ts";
import { type Command, valuesFor } from "../../command.ts";
import {
  isDangerous,
  openButton,
  menuId,
  type MenuOption,
  rowWithMenu,
  runButton,
} from "../../../views/kit/ask-buttons.ts";
import { askButton, limits, type Block } from "../../../views/kit/blocks.ts";

/** Decides with the workload's state which buttons a card has. */
export type CardActions = {
  /** The verbs that neither policy nor the workload API would refuse. */
  readonly mayDo: readonly Command[];
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
  healthy: { first: ["logs", "restart", "scale", "watch"], rest: ["stop", "memory", "domains", "create"] },
  busy: { first: ["logs", "restart", "stop", "watch"], rest: ["scale", "memory", "domains", "create"] },
  failing: { first: ["logs", "restart", "stop", "watch"], rest: ["memory", "scale", "domains", "create"] },
  idle: { first: ["start", "logs", "watch"], rest: ["scale", "memory", "domains", "create"] },
};
/** The same where the workload API keeps revisions. A menu has five options, one of them Delete. */
const revisedRows: Readonly<Record<Level, Row>> = {
  healthy: { first: ["logs", "restart", "scale", "deploy", "watch"], rest: ["stop", "memory", "domains", "create"] },
  busy: { first: ["logs", "restart", "stop", "deploy", "watch"], rest: ["scale", "memory", "domains", "create"] },
  failing: { first: ["logs", "deploy", "restart", "watch"], rest: ["stop", "memory", "scale", "domains"] },
  idle: { first: ["start", "logs", "deploy", "watch"], rest: ["scale", "memory", "domains", "create"] },
};
/** The same where an earlier version is kept. */
const returnableRows: Readonly<Record<Level, Row>> = {
  healthy: { first: ["logs", "restart", "scale", "deploy", "watch"], rest: ["stop", "memory", "domains", "rollback"] },
  busy: { first: ["logs", "restart", "rollback", "deploy", "watch"], rest: ["stop", "scale", "memory", "domains"] },
  failing: { first: ["logs", "rollback", "deploy", "restart", "watch"], rest: ["stop", "memory", "scale", "domains"] },
  idle: { first: ["start", "logs", "deploy", "watch"], rest: ["scale", "memory", "domains", "rollback"] },
};

function rowsFor({ revision, revisions = [] }: Service): Readonly<Record<Level, Row>> {
  if (revision === undefined) return rows;
  return revisions.length > 1 ? returnableRows : revisedRows;
}

const leaving: Row = { first: ["logs", "create"], rest: [] };
const ofJobs: Row = { first: ["logs", "create", "watch"], rest: [] };
const ofCronJobs: Row = { first: ["run", "logs", "watch"], rest: ["create"] };

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
  const row = isLeaving ? leaving : rowsFor(service)[serviceStatus(service).level];
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

/** A few buttons and a menu, which ends with Delete: nobody hits it by accident, and its form asks for the name. */
function drawn(carded: Carded, { row, isDeletable }: Layout, card: readonly Block[]): Block[] {
  const may = (verbs: readonly string[]) =>
    verbs.flatMap((verb) => carded.mayDo.find((command) => command.name === verb) ?? []);
  const workload = { name: target(carded), region: carded.region };
  const inMenu = may([...row.rest, ...(isDeletable ? ["delete"] : [])]);
  const hasMenu = menuId(workload) !== undefined;
  const shown = [...may(row.first), ...(hasMenu ? [] : inMenu)].map((command) => buttonFor(carded, command));
  const options: MenuOption[] = hasMenu
    ? inMenu.map((command) => ({ verb: command.name, label: labelOf(command) }))
    : [];
  const refresh = askButton("Refresh", askFor(carded, "show"));
  const drawnRow = rowWithMenu(fitting([...shown, refresh], card), options, workload);
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

function labelOf({ button: label, name }: Command): string {
  return label ?? name;
}

/** A read answers at once, and so does a watch, which changes no workload; a write opens its form with a preview. */
function buttonFor(card: Carded, command: Command): Button | undefined {
  const { name: verb } = command;
  if (command.effect === "read") return askButton(labelOf(command), askFor(card, verb));
  if (command.effect === "watch") {
    const { args, ...ask } = askFor(card, verb);
    return runButton(labelOf(command), { ...ask, share: false, args }, { at: 0 });
  }
  const opening = { verb, values: valuesFor(command, target(card)), region: card.region };
  return openButton(labelOf(command), opening, isDangerous(command.actions) ? "danger" : undefined);
}

function askFor(card: Carded, verb: string): Ask {
  return { verb, region: card.region, share: card.isShared, args: { name: target(card) } };
}
