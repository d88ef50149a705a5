import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../../store/store.ts";
import type { Message } from "../../views/kit/message.ts";
import { type Interaction, openInteraction, sealInteraction } from "./interaction.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../shell.ts";
import type { LaneName } from "./lanes.ts";
import type { Interrupted } from "./retry.ts";
import { work } from "./work.ts";

/** What is stored waits for this before its ack: https://docs.slack.dev/interactivity/slash-commands gives 3 s. */
const STORE_WITHIN_MS = 1_000;
/** A write that nobody began for so long is not begun any more: whoever asked has moved on. Votes count for ever. */
const BEGIN_WITHIN_MS = 5 * 60_000;

type Accepted = {
  readonly id: string;
  readonly interaction: Interaction;
  readonly ack: (refusal?: Message) => Promise<void>;
};

/**
 * Stores an interaction, acks it, then processes it. Slack never resends a lost click, so it is on disk before the ack.
 * A second delivery of the same interaction is ignored. When the queue is full, only its id is stored, as finished, so no later
 * process can begin a refused delivery.
 */
export async function accept(shell: Shell, { id, interaction, ack }: Accepted): Promise<void> {
  const { store, sealer, lanes, log } = shell;
  const lane = interaction.kind === "decide" ? "decisions" : "people";
  const hasRoom = lanes.hasRoom({ lane, owner: interaction.origin.userId });
  const storing = hasRoom ? store.accept({ id, sealed: sealInteraction(sealer, id, interaction) }) : store.remember(id);
  let isNew: boolean;
  try {
    isNew = await within(STORE_WITHIN_MS, storing);
  } catch (err) {
    const reference = shell.newReference();
    log.error({ err, reference, interaction: interaction.kind }, "couldn't store an interaction; dropping it");
    shell.dropped.add(id);
    void storing.then(
      () => shell.dropped.flush(),
      () => undefined,
    );
    return ack(hasRoom ? sentences.notStored(reference, shell.settings.command) : sentences.busy());
  }
  // Delivered before, maybe to another replica: that one has it.
  if (!isNew) return ack();
  if (!hasRoom) return ack(sentences.busy());
  // It is stored, so if the last place in the queue is gone, the next sweep begins it.
  start(shell, { id, interaction, tries: 0 }, lane);
  return ack();
}

/** What the database or Slack interrupted in this process, when its time has come. */
export function goOnWith(shell: Shell): void {
  for (const interrupted of shell.unfinished.take()) start(shell, interrupted, "sweeping");
}

/** Deliveries of replicas that are gone are worked on as if they had just come; what is too old is told instead. */
export function takeOver(shell: Shell, delivery: Delivery): void {
  const { log, sealer } = shell;
  let interaction: Interaction;
  try {
    interaction = openInteraction(sealer, delivery);
  } catch (err) {
    log.error({ err, deliveryId: delivery.id }, "a delivery that was left over cannot be read");
    return;
  }
  log.warn({ interaction: interaction.kind }, "a delivery was left over by a replica that is gone");
  const isLate = shell.now().getTime() - delivery.receivedAt.getTime() > BEGIN_WITHIN_MS;
  start(shell, { id: delivery.id, interaction, isLate, tries: 0 }, "sweeping");
}

/** It is ours in the store: when too much waits, it is kept for the next look. */
function start(shell: Shell, interrupted: Interrupted, lane: LaneName): void {
  const { id, interaction } = interrupted;
  const job = { lane, key: `delivery ${id}`, owner: interaction.origin.userId };
  const isTaken = shell.lanes.add(job, (signal) => work(shell, interrupted, signal));
  if (!isTaken) shell.unfinished.keep(interrupted, 0);
}

async function within<Result>(ms: number, storing: Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const late = sleep(ms, undefined, { signal: controller.signal, ref: false }).then(() => {
    throw new Error(`not stored within ${ms} ms`);
  });
  // Aborted on purpose once the work has won.
  late.catch(() => undefined);
  try {
    return await Promise.race([storing, late]);
  } finally {
    controller.abort();
  }
}
