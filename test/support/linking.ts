import { says } from "./speak.ts";
import type { Person, World } from "./world.ts";

/** Accounts at the service beside the bot's own: of dana, of alex, and one for a channel. */
export const danas = { username: "dana-own", token: "danas-token-that-only-dana-knows-0001" };
export const alexs = { username: "alex-own", token: "alexs-token-that-only-alex-knows-0002" };
export const teams = { username: "team-ops", token: "teams-token-that-the-channel-has-0003" };

type Typed = { readonly username: string; readonly token: string };

/** What stands in the form that a person has open, as Slack was given it; empty when none is open. */
export function formOf(person: Person): string {
  const view = person.modal();
  return view === undefined ? "" : JSON.stringify(view.content);
}

/** Sends what is typed into the form that is open; gives what the form says then. */
export async function sends(town: World, person: Person, typed: Typed): Promise<string> {
  await person.submits(typed);
  await town.settled();
  return formOf(person);
}

/** Links an account as people do, and closes the form; gives what it said. */
export async function connects(town: World, person: Person, typed: Typed): Promise<string> {
  await says(town, person, "/gantry connect");
  const said = await sends(town, person, typed);
  await person.closes();
  return said;
}

/** The same for everybody in #ops. */
export async function connectsChannel(town: World, person: Person, typed: Typed): Promise<void> {
  await says(town, person, "/gantry connect channel");
  await sends(town, person, typed);
  await person.closes();
}

/** How many accounts are linked, of people in #ops or of the channel. */
export async function linkedCount(town: World): Promise<number> {
  const place = { teamId: "T0PLAYGR", channelId: "C0OPS" };
  const people = ["U0DANA", "U0ALEX", "U0GWEN"];
  const found = await Promise.all(people.map((userId) => town.store().impliedFor({ ...place, userId })));
  return found.filter(({ own }) => own !== undefined).length + (found[0]?.channel === undefined ? 0 : 1);
}

/** The accounts that the bot used for an operation, oldest first. */
export function usedFor(town: World, op: string): readonly (string | null)[] {
  return town
    .sent()
    .filter((request) => request.op === op)
    .map(({ username }) => username);
}
