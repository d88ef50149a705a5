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
  const cards = person.sees(channel).filter(({ isEphemeral, text }) => !isEphemeral && /^[0-9A-Z]{6} · /mu.test(text));
  return cards.findLast(({ threadTs, ts }) => threadTs === undefined || threadTs === ts)?.text ?? "";
}

/** The id of that Change, as people type it. */
export function idOf(text: string): string {
  const id = /^([0-9A-Z]{6})(?: · |$)/mu.exec(text)?.[1];
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

/** What stands in the form that a person has open, as they read it; empty when none is open. */
export function form(person: Person): string {
  const view = person.modal();
  return view === undefined ? "" : readable(view);
}

/** What stands on a person's Home, as they read it. */
export function home(person: Person): string {
  const view = person.home();
  return view === undefined ? "" : readable(view);
}

/** The words under the fields of the form that a person has open, by field. */
export function wrong(person: Person): Readonly<Record<string, string>> {
  return person.modal()?.errors ?? {};
}

type View = NonNullable<ReturnType<Person["modal"]>>;

/** Every text in the order in which it stands there, and what stands in the fields. */
function readable({ content, state }: View): string {
  const shown = [content["title"], content["blocks"], content["submit"]].map(textsIn).join("\n");
  return `${shown}\n${textsIn(state)}`;
}

/** What people see of JSON of Block Kit. */
function textsIn(json: unknown): string {
  if (Array.isArray(json)) return json.map(textsIn).join("\n");
  if (typeof json !== "object" || json === null) return "";
  return Object.entries(json)
    .map(([key, value]: [string, unknown]) =>
      typeof value === "string" ? (shownKeys.has(key) ? value : "") : textsIn(value),
    )
    .filter((text) => text !== "")
    .join(" ");
}

const shownKeys = new Set(["text", "value", "initial_value", "selected_date", "fallback", "name"]);
