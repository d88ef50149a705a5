import { isObject, type JsonObject, textOf } from "../../json.ts";

async function read(answer: Response): Promise<JsonObject> {
  const body: unknown = await answer.json().catch(() => undefined);
  const json = isObject(body) ? body : {};
  if (answer.ok) return json;
  throw new Error(textOf(json["error"]) || `The playground answered ${answer.status}. Is it still running?`);
}

function unreachable(): never {
  throw new Error("The playground cannot be reached. Is it still running? Start it with: npm start");
}

/** Performs an action in the workspace: "say", "act", "submit" … Throws an Error with the sentence of the refusal. */
export async function perform(action: string, body: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  return read(await fetch(`/playground/do/${action}`, request).catch(unreachable));
}

/** The bodies of an exchange. */
export async function exchangeBodies(id: number): Promise<JsonObject> {
  return read(await fetch(`/playground/exchanges/${id}`).catch(unreachable));
}

export async function fileText(id: string): Promise<string> {
  const answer = await fetch(`/files/${encodeURIComponent(id)}`).catch(unreachable);
  if (!answer.ok) throw new Error("This file is not there any more.");
  return answer.text();
}
