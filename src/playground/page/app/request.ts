import { parseRoute } from "./workspace.ts";
import { isObject, type JsonObject, textOf } from "../../json.ts";

const sessionKey = "playground-session";

/** The id of this window, also after a reload: forms open in the window where the person acted, as in Slack. */
export function windowSession(): string {
  const known = sessionStorage.getItem(sessionKey);
  if (known !== null) return known;
  // Not crypto.randomUUID, which pages on plain http addresses other than localhost don't have.
  const made = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  sessionStorage.setItem(sessionKey, made);
  return made;
}

/** Of several workspaces, a request is about the one of the person in the address. */
function personHere(): string {
  return parseRoute(location.search).as;
}

async function read(answer: Response): Promise<JsonObject> {
  const body: unknown = await answer.json().catch(() => undefined);
  const json = isObject(body) ? body : {};
  if (answer.ok) return json;
  throw new Error(
    textOf(json["error"]) || `The playground failed with status ${answer.status}. Nothing may have changed. Try again.`,
  );
}

function unreachable(): never {
  throw new Error("The playground isn't running. Start it with: npm start");
}

/** Performs an action in the workspace: "say", "act", "submit" … Throws an Error with the sentence of the refusal. */
export async function perform(action: string, body: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/json", "x-session": windowSession(), "x-as": personHere() };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  return read(await fetch(`/playground/do/${action}`, request).catch(unreachable));
}

/** The bodies of an exchange. */
export async function exchangeBodies(id: number): Promise<JsonObject> {
  return read(await fetch(`/playground/exchanges/${id}`, { headers: { "x-as": personHere() } }).catch(unreachable));
}

export async function fileText(id: string): Promise<string> {
  const answer = await fetch(`/files/${encodeURIComponent(id)}`).catch(unreachable);
  if (!answer.ok) throw new Error("This file no longer exists.");
  return answer.text();
}
