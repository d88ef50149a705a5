import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { World } from "./world.ts";

/** Somewhere that a secret may have got to. */
export type Place = { readonly name: string; readonly text: string };

/** Everything that leaves the bot or stays of it: what Slack was sent, what people see, the log, and the database. */
export function placesOf(town: World): readonly Place[] {
  return [...slackPlaces(town), ...seenPlaces(town), ...logPlaces(town), ...filePlaces(town), ...columnPlaces(town)];
}

/** What the bot sent to Slack, and what it answered; not what Slack sent to the bot, which people typed. */
function slackPlaces({ playground }: World): readonly Place[] {
  return playground.transcript().map(({ id, direction, kind, request, answer, refusal }) => ({
    name: `Slack: ${kind} no. ${id}`,
    text: JSON.stringify([direction === "from bot" ? request : answer, refusal]),
  }));
}

function seenPlaces({ developer, approver, guest }: World): readonly Place[] {
  return [developer, approver, guest].map((person) => ({
    name: `what ${person.name} sees`,
    text: JSON.stringify([person.sees("ops"), person.modal()?.content, person.modal()?.errors]),
  }));
}

function logPlaces({ logLines }: World): readonly Place[] {
  return logLines().map((text, at) => ({ name: `log: line ${at + 1}`, text }));
}

/** The database as it lies on the disk, with its journal; byte by byte, so that it does not matter where in a page. */
function filePlaces({ dataDir }: World): readonly Place[] {
  const names = readdirSync(dataDir).filter((name) => name.startsWith("gantry."));
  return names.map((name) => ({ name: `file: ${name}`, text: readFileSync(join(dataDir, name)).toString("latin1") }));
}

function columnPlaces({ dataDir }: World): readonly Place[] {
  const database = new DatabaseSync(join(dataDir, "gantry.sqlite"), { readOnly: true });
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const places = tables.flatMap(({ name }) =>
    database
      .prepare(`select * from "${String(name)}"`)
      .all()
      .flatMap((row) => Object.entries(row))
      .map(([column, value]) => ({ name: `column: ${String(name)}.${column}`, text: String(value) })),
  );
  database.close();
  return places;
}

/** Where each of these stands: in clear, in JSON, in an address, or in base64. Sorted, each place once. */
export function found(places: readonly Place[], secrets: Readonly<Record<string, string>>): readonly string[] {
  const hits = Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), inBase64(secret)];
    return places
      .filter(({ text }) => forms.some((form) => text.includes(form)))
      .map((place) => `${name} in ${place.name}`);
  });
  return [...new Set(hits)].toSorted();
}

/** Without its end, which depends on what stands behind it. */
function inBase64(text: string): string {
  return Buffer.from(text)
    .toString("base64")
    .replace(/.{1,2}=*$/u, "");
}
