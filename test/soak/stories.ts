import type { Seen } from "../../src/playground/people/surfaces.ts";
import { type Acked, acts, find, noteRefusal, refusal, sees, type Soak } from "./acting.ts";
import { asksForApproval, has } from "./approval-story.ts";
import { isAnswered, isChanged, refusalIn, takes } from "./answers.ts";
import { repliesIn } from "./duplicates.ts";
import { type Actor, type Asker, DIRECT, newCard, news } from "./actor.ts";

type Story = (soak: Soak, actor: Asker) => Promise<void>;

type Shares = readonly { readonly share: number; readonly play: Story }[];

/** What people do, with how many of a hundred do it. Each waits for its answer. */
export const reading: Shares = [
  { share: 55, play: looks },
  { share: 13, play: writesToTheBot },
  { share: 16, play: mentions },
  { share: 16, play: opensHome },
];

/** Of those who change something as well; each waits for its end. */
export const changing: Shares = [
  { share: 30, play: scales },
  { share: 30, play: fillsInTheForm },
  { share: 30, play: asksForApproval },
  { share: 10, play: looks },
];

/** Asks, and then asks for the newest state with the answer's button. */
async function looks(soak: Soak, actor: Actor): Promise<void> {
  const { person, free } = actor;
  const what = `${person.name}: /gantry show`;
  const acked = await acts(soak, { actor, kind: "command" }, () =>
    person.says(`/gantry show ${free}`, { channel: DIRECT }),
  );
  const answer = await sees(soak, { acked, isRead: true, what }, () => news(actor, DIRECT)[0]);
  if (answer === undefined) return find(soak, "unanswered", what);
  if (answer === "died") return;
  if (has(answer, "Refresh")) await refreshes(soak, actor, answer);
  takes(soak, actor, { channel: DIRECT, answer });
  // A second answer stays, and is found.
  for (const beside of news(actor, DIRECT))
    if (refusal.test(beside.text)) takes(soak, actor, { channel: DIRECT, answer: beside });
}

async function refreshes(soak: Soak, actor: Actor, { ts, revision }: Seen): Promise<void> {
  const { person } = actor;
  const what = `${person.name}: Refresh`;
  // Why it can't be read is told beside it.
  const isNewer = (): true | undefined =>
    person.sees(DIRECT).some((message) => message.ts === ts && message.revision > revision) ||
    isToldBeside() ||
    undefined;
  const isToldBeside = (): boolean => news(actor, DIRECT).length > 1;
  const acked = await acts(soak, { actor, kind: "click", isDone: () => isNewer() === true }, () =>
    person.clicks("Refresh", { channel: DIRECT, thread: ts }),
  );
  if ((await sees(soak, { acked, isRead: true, what }, isNewer)) === undefined) find(soak, "unanswered", what);
}

/** A message to the bot, without a slash. Slack delivers an event again that wasn't acked, so it is said once. */
async function writesToTheBot(soak: Soak, actor: Actor): Promise<void> {
  const { person, free } = actor;
  const acked = await says(soak, actor, { text: `show ${free}`, channel: DIRECT });
  const what = `${person.name}: a message to the bot`;
  actor.known.add(acked.delivery.ts ?? "");
  await isAnswered(soak, actor, { acked, channel: DIRECT, what });
  actor.old.push({ channel: DIRECT, ts: acked.delivery.ts ?? "", atMs: performance.now() });
}

async function mentions(soak: Soak, actor: Actor): Promise<void> {
  const { person, free, channel } = actor;
  const acked = await says(soak, actor, { text: `@gantry show ${free}`, channel });
  const { ts = "" } = acked.delivery;
  const what = `${person.name}: a mention at ${ts}`;
  const answer = await sees(
    soak,
    { acked, isRead: true, what },
    () => repliesIn(actor, ts)[0] ?? refusalIn(soak, actor, channel),
  );
  if (answer === undefined) find(soak, "unanswered", what);
  // Why it can't be answered is told to its author alone, in the channel.
  else if (typeof answer !== "string") noteRefusal(soak, answer.text);
  if (answer !== "died") actor.threads.push({ ts, what, atMs: performance.now() });
}

type Said = { readonly text: string; readonly channel: string };

/** Counts what is said once, whether or not it was acked at the first try. */
async function says(soak: Soak, actor: Actor, { text, channel }: Said): Promise<Acked> {
  const kind = channel === DIRECT ? "message" : "mention";
  let first: Acked | undefined;
  await acts(soak, { actor, kind, isDone: () => first !== undefined }, async () => {
    const atMs = performance.now();
    const delivery = await actor.person.says(text, { channel });
    first = { atMs, delivery };
    // Slack tries again by itself.
    if (!delivery.acked) actor.givenUp -= 1;
    return delivery;
  });
  if (first === undefined) throw new Error("nothing was said");
  return first;
}

async function opensHome(soak: Soak, actor: Actor): Promise<void> {
  const { person } = actor;
  const before = person.home()?.hash;
  const acked = await acts(soak, { actor, kind: "home" }, () => person.opensHome());
  // An event, which Slack delivers again.
  const seen = await sees(soak, { acked, isRead: true, what: `${person.name}: Home` }, () =>
    person.home()?.hash === before ? undefined : true,
  );
  if (seen === undefined) find(soak, "unanswered", `${person.name}: Home stays as it was`);
}

async function scales(soak: Soak, actor: Actor): Promise<void> {
  const { person, free } = actor;
  const acked = await acts(soak, { actor, kind: "command", isDone: () => cardOf(actor) !== undefined }, () =>
    person.says(`/gantry scale ${free} ${sizeIn(soak)}`, { channel: DIRECT }),
  );
  const card = await isChanged(soak, actor, { acked, channel: DIRECT, service: free, what: `${person.name}: scale` });
  if (card === undefined || soak.random() < 0.5) return;
  const cardNow = (): Seen | undefined => person.sees(DIRECT).find(({ ts }) => ts === card.ts);
  const isUndone = (): boolean => cardOf(actor) !== undefined || !has(cardNow(), "Undo");
  if (isUndone()) return;
  const undone = await acts(soak, { actor, kind: "click", isDone: isUndone }, () =>
    person.clicks("Undo", { channel: DIRECT, thread: card.ts }),
  );
  await isChanged(soak, actor, { acked: undone, channel: DIRECT, service: free, what: `${person.name}: Undo` });
}

async function fillsInTheForm(soak: Soak, actor: Actor): Promise<void> {
  const { person, free } = actor;
  const isOpen = (): boolean => person.modal()?.content["submit"] !== undefined;
  const isFilledIn = (): boolean => JSON.stringify(person.modal()?.content ?? "").includes('"block_id":"size');
  if (person.modal() !== undefined) await person.closes();
  const opened = await acts(soak, { actor, kind: "command", isDone: isOpen }, () =>
    person.says(`/gantry scale ${free}`, { channel: DIRECT }),
  );
  // The form opens at once and is filled in a moment later. When the network is cut, it doesn't open, and the person is told why.
  const form = await sees(
    soak,
    { acked: opened, isRead: true, what: `${person.name}: the form opens` },
    () => isFilledIn() || refusalIn(soak, actor, DIRECT),
  );
  if (form === undefined) find(soak, "unanswered", `${person.name}: no form`);
  if (form !== true) return;
  const acked = await acts(soak, { actor, kind: "form", isDone: () => !isOpen() }, () =>
    person.submits({ size: sizeIn(soak) }),
  );
  await isChanged(soak, actor, { acked, channel: DIRECT, service: free, what: `${person.name}: the form` });
  if (person.modal() !== undefined) await person.closes();
}

function cardOf(actor: Actor): Seen | undefined {
  return newCard(actor, DIRECT, actor.free);
}

function sizeIn({ random }: Soak): string {
  return String(1 + Math.floor(random() * 5));
}
