import { isObject, parseJson, textOf } from "../json.ts";
import type { Slack } from "../installs/slack.ts";
import { findUser, isOutsider } from "../workspace/workspace.ts";
import type { World } from "../world.ts";

/** The person whom a request of the page or a terminal names: in its address, a header, or its body. */
async function nameIn(request: Request): Promise<string> {
  const named = new URL(request.url).searchParams.get("as") ?? request.headers.get("x-as");
  if (named !== null || request.method !== "POST") return named ?? "";
  const body = parseJson(await request.clone().text());
  return isObject(body) ? textOf(body["as"]) : "";
}

/** The workspace of a person by name or id; the first one for a name that none has. */
export function worldOf({ worlds }: Pick<Slack, "worlds">, name: string): World {
  const knowing = worlds().filter(({ state }) => findUser(state, name) !== undefined);
  // Somebody may also be a guest from outside in another workspace.
  const home = knowing.find(({ state }) => {
    const user = findUser(state, name);
    return user !== undefined && !isOutsider(state, user);
  });
  return home ?? knowing[0] ?? worlds()[0];
}

/** The workspace that a request of the page or a terminal is about: that of the person who acts. */
export async function worldOfRequest(slack: Slack, request: Request): Promise<World> {
  return slack.worlds().length === 1 ? slack.worlds()[0] : worldOf(slack, await nameIn(request));
}
