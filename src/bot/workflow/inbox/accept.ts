import { within } from "../../../platform/waiting.ts";
import type { Message } from "../../views/kit/message.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Delivery, WorkflowParts } from "../ports.ts";
import { type Interaction, openInteraction, sealInteraction } from "./interaction.ts";
import type { LaneName } from "./lanes.ts";
import { processDelivery } from "./process.ts";
import type { Unfinished } from "./unfinished.ts";
import { unawaited } from "../../../platform/unawaited.ts";

/** An ack waits this long for the store: https://docs.slack.dev/interactivity/slash-commands gives 3 s. */
const STORE_WITHIN_MS = 1_000;
/** An older write is not begun any more, because the person has moved on. Approvals count for ever. */
const BEGIN_WITHIN_MS = 5 * 60_000;

type Accepted = {
  readonly id: string;
  readonly interaction: Interaction;
  readonly ack: (refusal?: Message) => Promise<void>;
};

/**
 * Stores an interaction, acks it, then processes it. Slack never resends a lost click, so it is on disk before the ack.
 * A second delivery of the same interaction is ignored. When the lane is full, only its id is stored, as finished, so no
 * later process can begin a refused delivery.
 */
export async function accept(deps: WorkflowParts, { id, interaction, ack }: Accepted): Promise<void> {
  const { store, sealer, lanes, log, settings } = deps;
  const lane = interaction.kind === "decide" ? "decisions" : "requests";
  const hasRoom = lanes.hasRoom({ lane, owner: interaction.origin.userId });
  const storing = hasRoom ? store.accept({ id, sealed: sealInteraction(sealer, id, interaction) }) : store.remember(id);
  let isNew: boolean;
  try {
    isNew = await within(STORE_WITHIN_MS, storing, () => {
      throw new Error(`not stored within ${STORE_WITHIN_MS} ms`);
    });
  } catch (err) {
    const reference = deps.newReference();
    log.error({ err, reference, interaction: interaction.kind }, "couldn't store an interaction; dropping it");
    drop(deps, id, storing);
    return ack(hasRoom ? sentences.notStored(reference, settings.command) : sentences.busy());
  }
  // Delivered before, maybe to another replica, which processes it.
  if (!isNew) return ack();
  if (!hasRoom) return ack(sentences.busy());
  start(deps, { id, interaction, tries: 0 }, lane);
  return ack();
}

/** The database may store it after all, once it answers. */
function drop({ dropped, log }: Pick<WorkflowParts, "dropped" | "log">, id: string, storing: Promise<unknown>): void {
  dropped.add(id);
  unawaited(
    storing.then(dropped.flush, () => undefined),
    (err) => log.warn({ err }, "couldn't drop a refused delivery yet"),
  );
}

/** Begins a delivery again that the database or Slack interrupted in this process. */
export function beginAgain(deps: WorkflowParts, delivery: Unfinished): void {
  start(deps, delivery, "sweeping");
}

/** A delivery of a replica that is gone, to be begun again. Undefined, and logged, when it can't be read. */
export function takeOver(
  { log, sealer, clock }: Pick<WorkflowParts, "log" | "sealer" | "clock">,
  delivery: Delivery,
): Unfinished | undefined {
  const { id } = delivery;
  let interaction: Interaction;
  try {
    interaction = openInteraction(sealer, delivery);
  } catch (err) {
    log.error({ err, deliveryId: id }, "couldn't read a delivery that was left over");
    return undefined;
  }
  log.warn({ interaction: interaction.kind }, "taking over a delivery of a replica that is gone");
  const isLate = clock.now().getTime() - delivery.receivedAt.getTime() > BEGIN_WITHIN_MS;
  return { id, interaction, isTakenOver: true, isLate, tries: 0 };
}

/** It is ours in the store: when the lane is full, the next sweep begins it. */
function start(deps: WorkflowParts, delivery: Unfinished, lane: LaneName): void {
  const { id, interaction } = delivery;
  const job = { lane, key: `delivery ${id}`, owner: interaction.origin.userId };
  const isTaken = deps.lanes.add(job, (signal) => processDelivery(deps, delivery, signal));
  if (!isTaken) deps.retries.keep(delivery, 0);
}
