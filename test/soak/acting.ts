import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../../src/playground/delivery/deliver.ts";
import type { Actor } from "./actor.ts";
import { count, countDelivery, type Fault, type Kind, type Ledger } from "./ledger.ts";
import type { Pace } from "./pace.ts";
import { CUT_FOR_MS, type Troubles } from "./trouble.ts";
import type { Stage } from "./stage.ts";

/** One soak: everything that its people need. */
export type Soak = {
  readonly stage: Stage;
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly troubles: Troubles;
  readonly random: () => number;
  /** Whether people begin nothing new. */
  readonly isOver: () => boolean;
};

/** Something that was acked, at last. */
export type Acked = { readonly atMs: number; readonly delivery: Delivery };

const AGAIN_AFTER_MS = 700;
const POLL_EVERY_MS = 100;
/** Longer than anything that makes an answer late: a lease, a cut network. */
const ANSWER_WITHIN_MS = 100_000;
/** Slack sends an event that wasn't acked again at once, after a minute, and five minutes after that. */
const EVENT_WITHIN_MS = 7 * 60_000;
const TELL_AFTER_MS = 20_000;
/** A replica answers a read within this, or it was busy with something that is a fault of its own. */
const READ_TAKES_MS = 12_000;
/** The pauses of the bot before it sends an answer again that found no connection. */
const TRIED_FOR_MS = 17_000;

/**
 * Does it until it is acked, as people do who are told by Slack that the app didn't respond. Undefined when `isDone` says
 * that it was done all the same.
 */
export async function acts(
  { pace, ledger }: Soak,
  { actor, kind, isDone }: { readonly actor: Actor; readonly kind: Kind; readonly isDone?: () => boolean },
  act: () => Promise<Delivery>,
): Promise<Acked | undefined> {
  for (;;) {
    await pace.turn();
    if (isDone?.() === true) return undefined;
    // A form whose command came late covers the buttons.
    if (kind === "click" && actor.person.modal() !== undefined) await actor.person.closes();
    const atMs = performance.now();
    const delivery = await act();
    countDelivery(ledger, kind, delivery);
    if (delivery.acked) return { atMs, delivery };
    actor.givenUp += 1;
    await sleep(AGAIN_AFTER_MS);
  }
}

type Waiting = {
  readonly acked: Acked | undefined;
  /** A replica answers it from memory: it is not stored. */
  readonly isRead: boolean;
  readonly what: string;
};

/** Polls until the person sees it, and counts how long it took. Undefined when they never do. */
export async function sees<Result>(
  soak: Soak,
  { acked, isRead, what }: Waiting,
  look: () => Result | undefined,
): Promise<Result | "died" | undefined> {
  const sinceMs = acked?.atMs ?? performance.now();
  let isTold = false;
  for (;;) {
    const seen = look();
    const waitedMs = performance.now() - sinceMs;
    if (seen !== undefined) {
      soak.ledger.answerMs.push(waitedMs);
      return seen;
    }
    if (waitedMs > TELL_AFTER_MS && !isTold) {
      isTold = true;
      soak.stage.note(`${what}: nothing after ${(waitedMs / 1000).toFixed(0)} s`);
    }
    const limitMs = acked?.delivery.acked === false ? EVENT_WITHIN_MS : ANSWER_WITHIN_MS;
    if (waitedMs > limitMs) {
      if (!isRead || !mayHaveDied(soak, sinceMs)) return undefined;
      soak.ledger.diedWithReplica += 1;
      return "died";
    }
    await sleep(POLL_EVERY_MS);
  }
}

/**
 * Whether a replica was killed while it may have been answering this: soon after it was asked, or between its tries to send
 * an answer that met a cut network.
 */
function mayHaveDied({ troubles }: Soak, sinceMs: number): boolean {
  return troubles.killedAtMs.some((atMs) => {
    const metCut = troubles.cutAtMs.some((cutAt) => cutAt < atMs && cutAt + CUT_FOR_MS > sinceMs);
    return atMs >= sinceMs && atMs - sinceMs < (metCut ? CUT_FOR_MS + TRIED_FOR_MS + READ_TAKES_MS : READ_TAKES_MS);
  });
}

export function find({ ledger, stage }: Soak, fault: Fault, what: string): void {
  ledger.found.push({ fault, what });
  stage.note(`${fault}: ${what}`);
}

/** Sentences of the bot that say why nothing was done, by how they begin. */
export const refusal =
  /(?:Gantry is restarting|I lost my database|Something went wrong|Couldn't|couldn't|didn't (?:answer|confirm)|try again|Try again)[^.\n]*/u;

/** Counts what a person was told when it didn't work. */
export function noteRefusal({ ledger }: Soak, text: string): void {
  const [sentence] = refusal.exec(text) ?? [];
  if (sentence !== undefined) count(ledger.refusals, sentence.replaceAll(/\b(?:free|kept)-\d+/gu, "…"));
}
