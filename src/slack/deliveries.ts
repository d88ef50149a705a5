import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../store/store.ts";
import { StoreError } from "../errors.ts";
import type { Message } from "../views/message.ts";
import { anew } from "./anew.ts";
import { connect, disconnect } from "./link.ts";
import { decide } from "./decide.ts";
import { type Deed, openDeed, sealDeed } from "./deed.ts";
import { failureMessage } from "./failure.ts";
import { propose } from "./propose.ts";
import { sentences } from "./sentence.ts";
import type { Shell } from "./shell.ts";

/** What is stored waits for this before its ack: https://docs.slack.dev/interactivity/slash-commands gives 3 s. */
const STORE_WITHIN_MS = 1_000;
/** A write that nobody began for so long is not begun any more: whoever asked has moved on. Votes count for ever. */
const BEGIN_WITHIN_MS = 5 * 60_000;

type Accepted = { readonly id: string; readonly deed: Deed; readonly ack: (refusal?: Message) => Promise<void> };

/**
 * Stores what a person did, acks, and works on it. Slack does not send a lost click again, so what was acked is on disk;
 * what was delivered twice is one. When it cannot be stored, the ack says so and nothing is done.
 */
export async function accept(shell: Shell, { id, deed, ack }: Accepted): Promise<void> {
  const { store, sealer, inflight, log } = shell;
  let isNew: boolean;
  const storing = store.accept({ id, sealed: sealDeed(sealer, id, deed) });
  try {
    isNew = await within(STORE_WITHIN_MS, storing);
  } catch (err) {
    forget(shell, id, storing);
    const reference = shell.newReference();
    log.error({ err, reference, deed: deed.kind }, "an interaction could not be stored, and nothing was done");
    return ack(sentences.notStored(reference));
  }
  // Delivered before, maybe to another replica: that one has it.
  if (!isNew) return ack();
  if (inflight.start((signal) => work(shell, { id, deed }, signal))) return ack();
  await store.finish(id);
  return ack(sentences.busy());
}

/** What the database or Slack interrupted in this process, when its time has come. */
export function goOnWith(shell: Shell): void {
  for (const interrupted of shell.unfinished.take()) {
    shell.inflight.start((signal) => work(shell, interrupted, signal));
  }
}

/** Deliveries of replicas that are gone are worked on as if they had just come; what is too old is told instead. */
export function takeOver(shell: Shell, delivery: Delivery): void {
  const { log, sealer, inflight } = shell;
  let deed: Deed;
  try {
    deed = openDeed(sealer, delivery);
  } catch (err) {
    log.error({ err, deliveryId: delivery.id }, "a delivery that was left over cannot be read");
    return;
  }
  log.warn({ deed: deed.kind }, "a delivery was left over by a replica that is gone");
  const isLate = shell.now().getTime() - delivery.receivedAt.getTime() > BEGIN_WITHIN_MS;
  inflight.start((signal) => work(shell, { id: delivery.id, deed, isLate }, signal));
}

type Work = { readonly id: string; readonly deed: Deed; readonly isLate?: boolean; readonly tries?: number };

/** Pauses after which it is begun again when its person could not be told that it failed: Slack may be away for minutes. */
const AGAIN_AFTER_MS = [5_000, 20_000, 45_000, 90_000];

async function work(shell: Shell, { id, deed, isLate = false, tries = 0 }: Work, signal: AbortSignal): Promise<void> {
  await shell.underWay.once(`delivery ${id}`, async () => {
    try {
      if (isLate && deed.kind === "ask" && (await shell.store.changeOfDelivery(id)) === undefined) {
        await shell.poster.tell(sentences.neverBegan(deed.ask.verb), deed.place);
      } else {
        await perform(shell, { id, deed }, signal);
      }
    } catch (error) {
      const message = failureMessage(shell, error, { verb: verbOf(deed), effect: "write" });
      const isTold = await shell.poster.reaches(message, deed.place);
      const again = { id, deed, tries: tries + 1 };
      if (error instanceof StoreError) return shell.unfinished.keep(again, 0);
      const afterMs = AGAIN_AFTER_MS[tries];
      // Nothing was done and nobody knows: that is silence, so it is begun again.
      if (!isTold && afterMs !== undefined && !signal.aborted) return shell.unfinished.keep(again, afterMs);
    }
    await finish(shell, id);
  });
}

function perform(shell: Shell, { id, deed }: Work, signal: AbortSignal): Promise<void> {
  switch (deed.kind) {
    case "ask":
      return propose(shell, { ...deed, deliveryId: id }, signal);
    case "decide":
      return decide(shell, deed, signal);
    case "anew":
      return anew(shell, { ...deed, deliveryId: id }, signal);
    case "connect":
      return connect(shell, deed, signal);
    case "disconnect":
      return disconnect(shell, deed);
  }
}

function verbOf(deed: Deed): string {
  if (deed.kind === "ask") return deed.ask.verb;
  return deed.kind === "decide" ? deed.decision : deed.kind;
}

async function finish({ store, log }: Shell, id: string): Promise<void> {
  try {
    await store.finish(id);
  } catch (err) {
    // Done again later it finds what it did: everything behind it happens once.
    log.warn({ err }, "a delivery could not be marked as finished");
  }
}

/** What was stored after all, later than the person was told that it was not, must not be done by anybody. */
function forget(shell: Shell, id: string, storing: Promise<boolean>): void {
  void storing.then(
    (isStored) => (isStored ? finish(shell, id) : undefined),
    () => undefined,
  );
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
