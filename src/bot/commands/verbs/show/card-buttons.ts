import type { Button } from "@slack/types";
import type { Job, Service } from "../../../../api/answers.ts";
import {
  isStatus,
  jobStatus,
  type Level,
  serviceStatus,
  type WorkloadStatus,
} from "../../../../api/workload-status.ts";
import { isBeforeStart } from "../../../../api/cause.ts";
import type { Ask } from "../../../ask.ts";
import type { Command } from "../../command.ts";
import { isDangerous, openButton, runButton } from "../../../views/kit/ask-buttons.ts";
import { askButton, limits, suggesting, type Block } from "../../../views/kit/blocks.ts";

/** Decides with the workload's state which buttons a card has. */
export type CardActions = {
  /** The verbs that neither policy nor the workload API would refuse. */
  readonly mayDo: readonly Command[];
  /** True for a card that everybody in the channel sees. */
  readonly isShared: boolean;
};

export type Placed = CardActions & {
  readonly region: string;
  /** The button that the card suggests; without one, that of a verb by its status. */
  readonly step?: Button | undefined;
  /** Whether requests for the workload wait for approval. */
  readonly isWaiting: boolean;
};

type Carded = Placed & { readonly kind: "service" | "job"; readonly name: string };

/**
 * The verbs by state, the most helpful first: the first three are buttons, as many as fit are in the menu. Whoever may do
 * all sees seven of them and Delete. The others can be typed, but nobody can type `create` with a workload to copy.
 */
const rows: Readonly<Record<Level, readonly string[]>> = {
  healthy: ["logs", "restart", "scale", "deploy", "show", "watch", "create", "stop", "memory", "rollback", "domains"],
  busy: ["logs", "rollback", "restart", "show", "stop", "watch", "deploy", "scale", "memory", "domains", "create"],
  failing: ["logs", "rollback", "restart", "deploy", "show", "stop", "watch", "memory", "scale", "domains", "create"],
  idle: ["start", "logs", "watch", "show", "deploy", "scale", "create", "memory", "domains", "rollback"],
};
const leaving = ["logs", "create", "show"];
const ofJobs = ["logs", "create", "watch", "show", "delete"];
const ofCronJobs = ["run", "logs", "create", "watch", "show", "delete"];

const MOST = limits.buttons + limits.overflowOptions;

/** The buttons for a service in this state. */
export function serviceButtons(service: Service, placed: Placed): Block[] {
  const carded = { ...placed, kind: "service", name: service.name } as const; // a literal kind
  if (isStatus(service.status, "deleting")) return drawn(carded, { row: leaving });
  const { revision, revisions = [] } = service;
  const status = serviceStatus(service);
  // What helps a service that runs out of memory.
  const first = status.cause === "out-of-memory" ? ["logs", "memory"] : [];
  const row = [...new Set([...first, ...rows[status.level]])].filter(
    (verb) => (verb !== "deploy" || revision !== undefined) && (verb !== "rollback" || revisions.length > 1),
  );
  return drawn(carded, { row, step: isTakenBack(service) ? "rollback" : verbFor(status), last: ["delete"] });
}

/** A new version doesn't get ready, and an earlier one is kept. */
export function isTakenBack({ rollout, revisions = [] }: Service): boolean {
  return rollout?.state === "stuck" && revisions.length > 1;
}

/** Its log says why it fails, unless it never began to log. */
function verbFor({ level, cause }: WorkloadStatus): string | undefined {
  return level === "failing" && !(cause !== undefined && isBeforeStart(cause)) ? "logs" : undefined;
}

/** The buttons for a job, which runs only once, and for a CronJob. */
export function jobButtons(job: Job, placed: Placed): Block[] {
  const { metadata, schedule } = job;
  const carded = { ...placed, kind: "job", name: metadata.name } as const; // a literal kind
  return drawn(carded, { row: schedule === undefined ? ofJobs : ofCronJobs, step: verbFor(jobStatus(job)) });
}

type Layout = {
  /** Verbs, the most helpful first. */
  readonly row: readonly string[];
  /** The one that is suggested. */
  readonly step?: string | undefined;
  /** At the end of the menu: nobody hits Delete by accident, and its form asks for the name. */
  readonly last?: readonly string[];
};

function drawn(carded: Carded, { row, step, last: ofLast = [] }: Layout): Block[] {
  // The same card again is always allowed.
  const isOffered = (verb: string): boolean => verb === "show" || carded.mayDo.some(({ name }) => name === verb);
  const isVerb = carded.step === undefined && step !== undefined && isOffered(step);
  const suggested = isVerb ? buttonFor(carded, step) : carded.step;
  const review = carded.isWaiting ? askButton("Review", { verb: "pending", share: false, args: {} }) : undefined;
  const last = ofLast.filter(isOffered);
  const others = row.filter((verb) => isOffered(verb) && !(isVerb && verb === step));
  const taken = [suggested, review, ...last].filter((each) => each !== undefined).length;
  const verbs = [...others.slice(0, MOST - taken), ...last];
  return suggesting(suggested, review, ...verbs.map((verb) => buttonFor(carded, verb)));
}

/** A read answers at once, and so does a watch, which changes no workload; a write opens its form with a preview. */
function buttonFor(card: Carded, verb: string): Button | undefined {
  if (verb === "show") return askButton("Refresh", askFor(card, verb));
  const command = card.mayDo.find(({ name }) => name === verb);
  if (command === undefined) return undefined;
  const { button: label = verb } = command;
  if (command.effect === "read") return askButton(label, askFor(card, verb));
  if (command.effect === "watch") return runButton(label, { ...askFor(card, verb), share: false }, { at: 0 });
  const opening = { verb, values: { name: target(card) }, region: card.region };
  return openButton(
    label,
    command.valuesFor === undefined ? opening : { ...opening, isAbout: true },
    isDangerous(command.actions) ? "danger" : undefined,
  );
}

/** With the kind, because a service and a job may share a name. */
function target({ kind, name }: Carded): string {
  return `${kind}/${name}`;
}

function askFor(card: Carded, verb: string): Ask {
  return { verb, region: card.region, share: card.isShared, args: { name: target(card) } };
}
