import { images } from "../service/support/memory-store.ts";
import type { Person, World } from "./world.ts";

/** What stands in #ops for everybody, newest last. */
export function spoken(person: Person): readonly string[] {
  return person
    .sees("ops")
    .filter(({ isEphemeral }) => !isEphemeral)
    .map(({ text }) => text);
}

/** A running service of the bot's account beside `web`, which is in beijing1, where the bot looks without being told. */
export async function creates(town: World, name: string, region: string): Promise<void> {
  const path = { region, service_name: name };
  const resources = { limits: { memory: "512" } } as const; // one of four words
  const body = { target_instance_size: 1, containers: [{ image: images.web, resources }] };
  await town.api.send({ op: "createService", path, query: undefined, body });
  const read = { op: "getService", path, query: undefined, body: undefined } as const;
  await town.until(async () => (await town.api.send(read)).status === "Running");
}

/** What stands in history, newest first. */
export async function happened(town: World): Promise<readonly string[]> {
  const events = await town.store().history({ teamId: "T0PLAYGR", limit: 100 });
  return events.map(({ kind, who, result }) => `${kind} ${who?.name}: ${result}`);
}
