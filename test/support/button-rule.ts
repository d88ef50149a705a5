import type { Exchange } from "../../src/playground/transcript.ts";
import {
  type Json,
  type JsonObject,
  isObject,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
} from "../../src/playground/json.ts";

/** Lists and pages have a row for each of their entries, so none of their buttons is the one suggested step. */
const ofEntries =
  /^(?:Approve|Reject|Cancel request|Stop watching|Unmute|Newer|Older|Why|Tell me|Full history|Refresh|Previous|Next \d+|\d+ more …|Create|Find workload|Connect (?:your|another) account|Change account|What can Gantry do\?)$/u;

/** What is wrong with the buttons of a message, or of a page that is drawn in a view. */
export function buttonFaults(blocks: readonly JsonObject[]): readonly string[] {
  const rows = blocks
    .filter(({ type }) => type === "actions")
    .map((row) => objectsOf(row["elements"]))
    .filter((row) => row.some(isButton));
  const buttons = rows.flat().filter(isButton);
  const filled = buttons.filter(({ style }) => style === "primary").map(labelOf);
  const red = buttons.filter((button) => button["style"] === "danger" && !deletes(button, blocks)).map(labelOf);
  const lone = buttons.filter((button) => labelOf(button) === "Stop" && button["action_id"] !== undefined);
  const misread = lone.filter((button) => !textOf(button["action_id"]).startsWith("form:open:stop"));
  return [
    ...rows.flatMap((row) => rowFaults(row)),
    ...(filled.length > 1 ? [`more than one is filled: ${filled.join(", ")}`] : []),
    ...red.map((label) => `red, and deletes nothing: ${label}`),
    ...misread.map(() => "Stop of something else than a workload"),
    ...(rows.length > 1
      ? buttons.map(labelOf).flatMap((label) => (ofEntries.test(label) ? [] : [`in one of several rows: ${label}`]))
      : []),
  ];
}

function rowFaults(row: readonly JsonObject[]): readonly string[] {
  const buttons = row.filter(isButton);
  const menus = row.filter(({ type }) => type === "overflow");
  return [
    ...(buttons.length > 3 ? [`more than three buttons: ${buttons.map(labelOf).join(", ")}`] : []),
    ...(menus.length > 1 ? ["more than one ⋯ menu"] : []),
  ];
}

function isButton({ type }: JsonObject): boolean {
  return type === "button";
}

function labelOf(button: JsonObject): string {
  return textOf(objectOf(button["text"])["text"]);
}

function deletes(button: JsonObject, blocks: readonly JsonObject[]): boolean {
  if (textOf(button["action_id"]).startsWith("change:approve"))
    return /permanently delete/iu.test(JSON.stringify(blocks));
  return objectOf(parseJson(textOf(button["value"])) ?? null)["verb"] === "delete";
}

/** The same of all that a bot sent to Slack. */
export function sentButtonFaults(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(({ direction, kind, request }) => {
    if (direction !== "from bot") return [];
    const sent = objectOf(request);
    const all = [sent["blocks"], objectOf(asJson(sent["view"]))["blocks"]].map(asJson);
    return all.flatMap((blocks) => buttonFaults(objectsOf(blocks))).map((fault) => `${kind}: ${fault}`);
  });
}

function asJson(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? parseJson(value) : value;
}

export function blocksOf(value: unknown): readonly JsonObject[] {
  const json = parseJson(JSON.stringify(value));
  return Array.isArray(json) ? json.filter(isObject) : [];
}
