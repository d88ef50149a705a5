import { type ChangeState, wayBackDelivery } from "../../src/bot/changes/stored-change.ts";
import type { Person } from "../../src/playground/people/person.ts";
import {
  type CardSeen,
  cards,
  changesOf,
  formText,
  isAtEnd,
  isToldEnd,
  quiet,
  type Scene,
  ephemerals,
} from "./scene.ts";
import type { ChangeRecord, EventRecord } from "./records.ts";
import { faultsOfFollows } from "./follow-story.ts";
import { faultsOfParts, faultsOfRollouts } from "./several.ts";
import { waitFor } from "./wait-for.ts";
import { faultsOfWatching } from "./watch-stories.ts";

export const faults = [
  /** More than one write came in for one request. */
  "double executions",
  /** More than one request was made of one message. */
  "requests made twice",
  /** A replica that lost its request to another one wrote all the same. */
  "writes after a takeover",
  /** Asked for, acked, and neither stored nor refused. */
  "lost requests",
  /** Decided, acked, and without any effect. */
  "lost decisions",
  /** Nobody was told anything: no ack, no card, no answer. */
  "silent",
  "cards with live buttons",
  /** Of a log that is followed. */
  "lines lost",
  "lines told twice",
  /** Of incidents, digests and announcements. */
  "messages lost",
  "messages told twice",
  /** A card that was posted and not stored did something when it was clicked. */
  "clicks on lost cards that count",
  /** The row, its card or the service say something else. */
  "untrue settlements",
  /** A service got another version before the one before it in the same request was healthy. */
  "parts begun too early",
  "stuck",
  "mistakes in the log",
] as const;
export type Fault = (typeof faults)[number];
export type Violation = { readonly fault: Fault; readonly what: string };

/** How the card of a state begins; of a done one, its outcome says which. */
const marks: Readonly<Record<Exclude<ChangeState, "pending" | "approved" | "claimed">, RegExp>> = {
  done: /^(?:✅|🟡|🔴|⚠️ \d+ of)/u,
  failed: /^(?:❌|(?:🔴|🟡|⚠️) \d+ of)/u,
  unknown: /^❓ (?:Can't tell|\d+ of)/u,
  rejected: /^🚫 Rejected/u,
  cancelled: /^🚫 Cancelled/u,
  expired: /^⌛/u,
  drifted: /^⚠️/u,
};
/** The card of a deploy that failed and went back. It tells of its automatic way back, which has no card. */
const wentBack = /^❌ [^\n]* (?:stays|is back) on /u;
const harmless = /^(?:Undo|Roll back|Try again|Request .*|Tell me here|Ask for the other \d+)$/u;

/** Compares everything that a round left: at the service, in the database, and in Slack. */
export async function findFaults(scene: Scene): Promise<readonly Violation[]> {
  const changes = await changesOf(scene);
  const violations: Violation[] = faultsOfRollouts(scene, changes);
  for (const change of changes)
    violations.push(...ofChange(scene, change, changes), ...(await faultsOfParts(scene, change)));
  violations.push(
    ...ofMessages(scene, changes),
    ...(await ofService(
      scene,
      changes.filter(({ workload_name }) => workload_name === scene.name),
    )),
  );
  violations.push(...ofPeople(scene, changes, await scene.cluster.records.events(scene.name)));
  violations.push(...faultsOfFollows(scene), ...faultsOfWatching(scene));
  for (const card of lost(scene, changes)) violations.push(...(await ofLost(scene, card)));
  return violations;
}

function ofChange({ cluster }: Scene, change: ChangeRecord, changes: readonly ChangeRecord[]): Violation[] {
  const { id, state } = change;
  if (!isAtEnd(change, changes)) return [{ fault: "stuck", what: `${id} is ${state}` }];
  const { arrived, done } = cluster.service.written(id);
  const found: Violation[] = [];
  if (arrived > 1) found.push({ fault: "double executions", what: `${id}, ${change.op}: ${arrived} writes came in` });
  const untrue = (why: string): void =>
    void found.push({ fault: "untrue settlements", what: `${id} is ${state}: ${why}` });
  const isOne = change.part_count === 0;
  if (isOne && state === "done" && done !== 1) untrue(`${done} writes were done`);
  if (state === "failed" && done > 0) untrue("a write was done");
  if (state !== "done" && state !== "failed" && state !== "unknown" && arrived > 0) untrue("a write came in");
  const card = cards({ cluster }).find(({ ts }) => ts === change.card_ts);
  const isOnOtherCard = change.undo_of !== null && change.delivery_id === wayBackDelivery(change.undo_of);
  if (card === undefined && isOnOtherCard) return found;
  if (card === undefined) {
    if (isToldEnd(change.told) && isToldAlone(cluster.playground.as("dana"), id)) return found;
    return [...found, { fault: "silent", what: `${id} has no card in Slack, and its requester wasn't told its end` }];
  }
  const ended = state in marks ? marks[state as keyof typeof marks] : undefined; // of a state that is an end
  const mark = isTakenBack(change, changes) ? wentBack : ended;
  if (mark?.test(card.text) !== true) untrue(`its card says: ${card.text.slice(0, 200)}`);
  if (isOne && state === "done" && isSeenWell(change) !== card.text.startsWith("✅")) {
    untrue("its card says more or less than was seen");
  }
  const live = card.buttons.filter((button) => !harmless.test(button));
  if (live.length > 0) found.push({ fault: "cards with live buttons", what: `${id}, ${state}: ${live.join(", ")}` });
  return found;
}

/** A deploy that failed, whose way back is healthy. */
function isTakenBack({ id, verb, health, progress }: ChangeRecord, changes: readonly ChangeRecord[]): boolean {
  const isInTrouble = verb === "deploy" && /"kind":"trouble"/u.test(health ?? progress ?? "");
  return isInTrouble && changes.some((back) => back.undo_of === id && back.state === "done" && isSeenWell(back));
}

/** Where no card can be posted, the requester alone reads the end: beside their command, or in a direct message. */
function isToldAlone(dana: Person, id: string): boolean {
  const told = [...dana.sees("ops").filter(({ isEphemeral }) => isEphemeral), ...dana.sees("@gantry")];
  return told.some(({ text }) => text.includes(id) && !text.includes("It runs, so don't request it again"));
}

/** The workload was seen as requested and well; a deleted one was seen to be gone. */
function isSeenWell({ op, ending, health, progress }: ChangeRecord): boolean {
  const isAsked = ending?.kind === "run" && ending.outcome.kind === "asked";
  if (op === "deleteService" || op === "deleteJob") return !isAsked;
  return /"kind":"reached"/u.test(health ?? progress ?? "");
}

/** However often a message was edited: one Change at most. */
function ofMessages({ messages }: Scene, changes: readonly ChangeRecord[]): Violation[] {
  if (messages.length === 0 || changes.length <= messages.length) return [];
  return [{ fault: "requests made twice", what: `${changes.length} requests of ${messages.length} message` }];
}

/** The service is as the last write that was done asked for. */
async function ofService({ cluster, name }: Scene, changes: readonly ChangeRecord[]): Promise<Violation[]> {
  const ran = changes.filter(({ id, state }) => state === "done" && cluster.service.written(id).done > 0);
  const last = ran.at(-1);
  const isAlone = changes.every(
    ({ id }) => ran.some((each) => each.id === id) || cluster.service.written(id).done === 0,
  );
  if (last === undefined || !isAlone) return [];
  const { body } = cluster.service.written(last.id);
  const { target_instance_size: size, status } = await cluster.service.read(name);
  const wanted = last.op === "updateService" ? (JSON.parse(body) as { target_instance_size?: number }) : {}; // what the bot sent
  if (wanted.target_instance_size !== undefined && wanted.target_instance_size !== size) {
    return [{ fault: "untrue settlements", what: `${last.id} is done, and there are ${size} instances` }];
  }
  if (last.op === "stopService" && status !== "Stopped") {
    return [{ fault: "untrue settlements", what: `${last.id} is done, and the service is ${status}` }];
  }
  return [];
}

/** Who did something that was acked got an answer: a card, or words for them alone. */
function ofPeople({ acked }: Scene, changes: readonly ChangeRecord[], events: readonly EventRecord[]): Violation[] {
  const found: Violation[] = [];
  for (const { id, person } of acked.filter(({ what }) => what === "ask")) {
    const hasChange = changes.some(({ delivery_id }) => delivery_id === id);
    if (!hasChange && ephemerals(person) === 0) {
      found.push({ fault: "lost requests", what: `what ${person.name} asked for was acked and is nowhere` });
    }
  }
  for (const { id, person } of acked.filter(({ what }) => what === "ask in a form")) {
    const hasChange = changes.some(({ delivery_id }) => delivery_id === id);
    if (saysMoreThanWaiting(person) || (!hasChange && ephemerals(person) > 0)) continue;
    const fault = hasChange ? "silent" : "lost requests";
    found.push({ fault, what: `the form that ${person.name} sent was acked, and says ${formText(person)}` });
  }
  const decisions = acked.filter(({ what }) => what === "decide");
  for (const person of new Set(decisions.map(({ person }) => person))) {
    const count = decisions.filter((each) => each.person === person).length;
    // Of an approval that the card shows, no message says anything.
    const shown = events.filter(({ kind, user_id }) => kind === "voted" && user_id === person.id).length;
    const told = ephemerals(person) + shown;
    if (told < count)
      found.push({ fault: "silent", what: `${person.name} decided ${count} times and was told ${told} times` });
  }
  return found;
}

/** Whether the form that was sent says by now what became of it, or why nothing did. */
function saysMoreThanWaiting(person: Person): boolean {
  const text = formText(person);
  if (person.modal() === undefined || text.includes("⏳ Asking")) return false;
  const isToFill = person.modal()?.content["submit"] !== undefined;
  return !isToFill || /nothing was (?:done|changed)|not done|reference/iu.test(text);
}

/** Cards in the channel that no row knows: posts whose answer got lost. */
function lost(scene: Scene, changes: readonly ChangeRecord[]): readonly CardSeen[] {
  const rows = new Map(changes.map(({ id, card_ts }) => [id, card_ts]));
  return cards(scene).filter(
    ({ ts, changeId, buttons }) => rows.has(changeId) && rows.get(changeId) !== ts && buttons.length > 0,
  );
}

/** It may be the message of an Undo that nobody knows of, and never one on which somebody still decides. */
async function ofLost(scene: Scene, card: CardSeen): Promise<readonly Violation[]> {
  const live = card.buttons.filter((button) => !harmless.test(button));
  if (live.length === 0) return retires(scene, card);
  return [{ fault: "cards with live buttons", what: `a lost card of ${card.changeId}: ${live.join(", ")}` }];
}

/** At its first click a lost card loses its buttons, and nothing else happens. */
async function retires(scene: Scene, card: CardSeen): Promise<Violation[]> {
  const { cluster, name } = scene;
  const [button = ""] = card.buttons;
  const before = JSON.stringify(await states(scene));
  const alex = cluster.playground.as("alex");
  await alex.clicks(button, { channel: "ops", thread: card.ts });
  const isRetired = () => cards(scene).every(({ ts, buttons }) => ts !== card.ts || buttons.length === 0);
  const what = `a lost card of ${card.changeId} for ${name}, ${button}`;
  try {
    await waitFor(cluster.pulse, isRetired, "retired");
  } catch {
    return [{ fault: "cards with live buttons", what }];
  }
  await quiet(scene);
  const after = JSON.stringify(await states(scene));
  return before === after
    ? []
    : [{ fault: "clicks on lost cards that count", what: `${what}: ${before} became ${after}` }];
}

async function states({ cluster, name }: Scene) {
  const changes = await cluster.records.changes(name);
  return changes.map(({ id, state }) => ({ id, state, ...cluster.service.written(id) }));
}
