import type { Button } from "@slack/types";
import { decodeAction } from "./action-id.ts";

/** What a click on a button carries. */
export type Carried = { readonly actionId: string; readonly value: string };

/** The fields of an Ask or of a form's opening. Those of its arguments or values begin with a dot: `.name`. */
type Fields = ReadonlyMap<string, unknown>;

type Menu = {
  /** Of the row with the menu; undefined where the options say all. */
  readonly blockId: string | undefined;
  readonly options: readonly { readonly value: string; readonly text: string }[];
};

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
const LONGEST_ID = 255;

/**
 * Buttons as the options of a menu. The value of an option is too short for an Ask with a long name, so the id of the row
 * has the fields that most of them share. An option is `change:show 7KQ2MD`, or `ask:0={…}` with the fields that differ.
 */
export function menuOptions(buttons: readonly Button[]): Menu {
  const all = buttons.map((button) => ({ button, fields: fieldsOf(button) }));
  const shared = sharedBy(all.flatMap(({ fields }) => fields ?? []));
  return {
    blockId: shared.size === 0 ? undefined : jsonOf(shared),
    options: all.map(({ button: { action_id: id = "", value = "", text }, fields }) => ({
      value: fields === undefined ? `${id} ${value}` : `${id}=${jsonOf(difference(shared, fields))}`,
      text: text.text,
    })),
  };
}

/** The click on the button that an option replaces. */
export function carriedByOption(option: string, blockId: string): Carried {
  const [, actionId = "", mark = "", rest = ""] = /^([^ =]*)([ =]?)(.*)$/su.exec(option) ?? [];
  if (mark !== "=") return { actionId, value: rest };
  const own = new Map(Object.entries(objectIn(rest)));
  const without: unknown = own.get(WITHOUT);
  own.delete(WITHOUT);
  const fields = new Map([...Object.entries(objectIn(blockId)), ...own]);
  for (const name of Array.isArray(without) ? without : []) fields.delete(String(name));
  const inner = [...fields].filter(([name]) => isInner(name)).map(([name, value]) => [name.slice(1), value] as const);
  const outer = [...fields].filter(([name]) => !isInner(name));
  const value = { ...Object.fromEntries(outer), [innerName(actionId)]: Object.fromEntries(inner) };
  return { actionId, value: JSON.stringify(value) };
}

/** A form's values have the names of an Ask's arguments, so that they can share them. Undefined for any other value. */
function fieldsOf({ action_id: id = "", value = "" }: Button): Fields | undefined {
  const { [innerName(id)]: inner, ...outer } = objectIn(value);
  if (!isObject(inner) || Object.keys(outer).some((name) => isInner(name) || name === WITHOUT)) return undefined;
  const dotted = Object.entries(inner).map(([name, each]) => [`.${name}`, each] as const);
  return new Map([...Object.entries(outer), ...dotted]);
}

function innerName(actionId: string): "args" | "values" {
  return decodeAction(actionId)?.kind === "openForm" ? "values" : "args";
}

function isInner(name: string): boolean {
  return name.startsWith(".");
}

/** Of each field the value that most have, the longest first, as far as the row's id has room. */
function sharedBy(all: readonly Fields[]): Fields {
  const names = [...new Set(all.flatMap((fields) => [...fields.keys()]))];
  const usual = names.map((name) => [name, usualOf(all.map((fields) => fields.get(name)))] as const);
  return usual
    .filter(([, value]) => value !== undefined)
    .toSorted(([, one], [, other]) => textOf(other).length - textOf(one).length)
    .reduce<Fields>((shared, field) => {
      const more = new Map([...shared, field]);
      return jsonOf(more).length > LONGEST_ID ? shared : more;
    }, new Map());
}

/** The value that most have; of two that as many have, the longer one. */
function usualOf(values: readonly unknown[]): unknown {
  const [[, [value]] = ["", []]] = [...Map.groupBy(values, textOf)].toSorted(
    ([text, equal], [other, others]) => others.length - equal.length || other.length - text.length,
  );
  return value;
}

/** In an option, the names of shared fields that it doesn't have. */
const WITHOUT = "-";

function difference(shared: Fields, all: Fields): Fields {
  const without = [...shared.keys()].filter((name) => !all.has(name));
  const own = [...all].filter(([name, value]) => textOf(value) !== textOf(shared.get(name)));
  return new Map([...own, ...(without.length > 0 ? [[WITHOUT, without] as const] : [])]);
}

function jsonOf(fields: Fields): string {
  return JSON.stringify(Object.fromEntries(fields));
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

/** The object in a JSON text; an empty one for any other text, which comes from outside. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith("{")) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
