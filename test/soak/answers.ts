import type { Seen } from "../../src/playground/people/surfaces.ts";
import { type Acked, find, noteRefusal, refusal, sees, type Soak } from "./acting.ts";
import { type Actor, changeIn, newCard, news } from "./actor.ts";

type Answering = {
  readonly acked: Acked | undefined;
  readonly channel: string;
  readonly what: string;
};

/** Words for the person alone; the message goes, so that a second one is seen. */
export async function isAnswered(soak: Soak, actor: Actor, { acked, channel, what }: Answering): Promise<void> {
  const answer = await sees(soak, { acked, isRead: true, what }, () => news(actor, channel)[0]);
  if (answer === undefined) return find(soak, "unanswered", what);
  if (answer !== "died") takes(soak, actor, { channel, answer });
}

export function takes(soak: Soak, actor: Actor, { channel, answer }: { channel: string; answer: Seen }): void {
  noteRefusal(soak, answer.text);
  actor.known.add(answer.ts);
  soak.stage.playground.people.removeMessage(actor.person.channelId(channel), answer.ts);
}

/** The bot's words instead of a card: it has that many instances, or it can't now. */
export function refusalIn(soak: Soak, actor: Actor, channel: string): "refused" | undefined {
  if (isToldInForm(actor)) return "refused";
  const [answer] = news(actor, channel);
  if (answer === undefined) return undefined;
  takes(soak, actor, { channel, answer });
  return "refused";
}

/** A form that can't be sent any more says what became of it; one that can, above its fields, why it has to be sent again. */
function isToldInForm({ person }: Actor): boolean {
  const { content } = person.modal() ?? {};
  const text = JSON.stringify(content ?? "");
  if (content === undefined || text.includes("⏳")) return false;
  return content["submit"] === undefined
    ? /Nothing|nothing|already|Couldn't|Not started/u.test(text)
    : refusal.test(text);
}

type Changing = Answering & { readonly service: string };

/** How the card of a change begins that has ended. */
export const end = /^(?:✅|🟡|🔴|⚠️|❌|❓|🚫|⌛)/u;

/** The card of the change, once it shows its end; undefined when there is none, because nothing had to be done. */
export async function isChanged(
  soak: Soak,
  actor: Actor,
  { acked, channel, service, what }: Changing,
): Promise<Seen | undefined> {
  const card = await sees(soak, { acked, isRead: false, what }, () => {
    const newest = newCard(actor, channel, service);
    if (newest !== undefined) return end.test(newest.text) ? newest : undefined;
    return refusalIn(soak, actor, channel);
  });
  if (card === undefined) {
    const begun = newCard(actor, channel, service);
    find(soak, begun === undefined ? "lost" : "untrue", `${what}: ${begun?.text.slice(0, 80) ?? "no card"}`);
    return undefined;
  }
  if (card === "died" || card === "refused") return undefined;
  actor.changes.add(changeIn(card) ?? "");
  actor.old.push({ channel, ts: card.ts, atMs: performance.now() });
  return card;
}
