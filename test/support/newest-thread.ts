import type { Person } from "./world.ts";

/** The newest thread of a channel as a person sees it: its head, then the replies. */
export function newestThread(person: Person, channel: string): readonly string[] {
  const seen = person.sees(channel).filter(({ isEphemeral }) => !isEphemeral);
  const head = seen.findLast(({ threadTs }) => threadTs === undefined);
  if (head === undefined) return [];
  return [head, ...seen.filter(({ threadTs, ts }) => threadTs === head.ts && ts !== head.ts)].map(({ text }) => text);
}
