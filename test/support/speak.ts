import type { Person, World } from "./world.ts";
import { newest } from "./world.ts";

/** Types a command in #ops and waits until the bot has nothing more to say to it; gives what the person sees last. */
export async function says(town: World, person: Person, text: string): Promise<string> {
  return saysIn(town, { person, channel: "ops" }, text);
}

/** The same in another channel. */
export async function saysIn(
  town: World,
  { person, channel }: { readonly person: Person; readonly channel: string },
  text: string,
): Promise<string> {
  await person.says(text, { channel });
  await town.settled();
  return newest(person, channel);
}

/** Clicks in #ops and waits; gives what the person sees last. */
export async function clicks(town: World, person: Person, label: string): Promise<string> {
  await person.clicks(label);
  await town.settled();
  return newest(person);
}

/** The newest card of a Change that a person sees in a channel: its text as it is drawn now. */
export function card(person: Person, channel = "ops"): string {
  const cards = person
    .sees(channel)
    .filter(({ isEphemeral, text }) => !isEphemeral && /\bChange [0-9A-Z]{6}\b/u.test(text));
  return cards.findLast(({ threadTs, ts }) => threadTs === undefined || threadTs === ts)?.text ?? "";
}

/** The id of that Change, as people type it. */
export function idOf(text: string): string {
  const id = /\bChange ([0-9A-Z]{6})\b/u.exec(text)?.[1];
  if (id === undefined) throw new Error(`there is no change in: ${text}`);
  return id;
}

/** What the person was told for their eyes only, newest last. */
export function whispers(person: Person, channel = "ops"): readonly string[] {
  return person
    .sees(channel)
    .filter(({ isEphemeral }) => isEphemeral)
    .map(({ text }) => text);
}
