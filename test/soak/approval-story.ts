import type { Seen } from "../../src/playground/people/surfaces.ts";
import { acts, find, sees, type Soak } from "./acting.ts";
import { type Actor, type Asker, newCard, news } from "./actor.ts";
import { end, isChanged, refusalIn, takes } from "./answers.ts";

/** Asks for what needs an approval, and gets it. */
export async function asksForApproval(soak: Soak, actor: Asker): Promise<void> {
  const { person, kept, channel, approver } = actor;
  const asked = { channel, service: kept, what: `${person.name}: restart` };
  const acked = await acts(
    soak,
    { actor, kind: "command", isDone: () => newCard(actor, channel, kept) !== undefined },
    () => person.says(`/gantry restart ${kept} --reason soak`, { channel }),
  );
  const card = await sees(soak, { acked, isRead: false, what: asked.what }, () => {
    // Its buttons come when the database knows where it is.
    const newest = newCard(actor, channel, kept);
    if (newest !== undefined) return has(newest, "Approve") || end.test(newest.text) ? newest : undefined;
    return refusalIn(soak, actor, channel);
  });
  if (card === undefined) return find(soak, "lost", asked.what);
  if (card === "died" || card === "refused") return;
  await approves(soak, approver, { channel, card, what: `${approver.person.name}: Approve` });
  await isChanged(soak, actor, { ...asked, acked });
}

type Approving = { readonly channel: string; readonly card: Seen; readonly what: string };

/** Clicks until it counts: who is told that the database was too slow tries again. */
async function approves(soak: Soak, approver: Actor, { channel, card, what }: Approving): Promise<void> {
  const now = (): Seen | undefined => approver.person.sees(channel).find(({ ts }) => ts === card.ts);
  const isDecided = (): boolean => !has(now(), "Approve");
  while (!isDecided()) {
    const acked = await acts(soak, { actor: approver, kind: "click", isDone: isDecided }, () =>
      approver.person.clicks("Approve", { channel, thread: card.ts }),
    );
    if (acked === undefined) return;
    // A message, or nothing beside the card where that shows it.
    const answer = await sees(soak, { acked, isRead: false, what }, () =>
      isDecided() ? now() : news(approver, channel)[0],
    );
    if (answer === undefined || answer === "died") return find(soak, "unanswered", what);
    if (isDecided()) return;
    takes(soak, approver, { channel, answer });
  }
}

export function has(message: Seen | undefined, button: string): boolean {
  return JSON.stringify(message?.blocks ?? []).includes(`"${button}"`);
}
