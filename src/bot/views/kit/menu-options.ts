import type { Button } from "@slack/types";

/** What a click on a button carries. */
export type Carried = { readonly actionId: string; readonly value: string };

type Fields = { readonly [field: string]: unknown };
type Parsed = { readonly button: Button; readonly fields: Fields | undefined };

type Menu = {
  /** Of the row with the menu; undefined where the options say all. */
  readonly blockId: string | undefined;
  readonly options: readonly { readonly value: string; readonly text: string }[];
};

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
const LONGEST_ID = 255;
const OPENS_FORM = "form:open:";

/**
 * Buttons as the options of a menu. The value of an option is too short for an Ask with a long name, so the id of the row
 * holds what most of them say, and an option what it says instead.
 */
export function menuOptions(buttons: readonly Button[]): Menu {
  const all = buttons.map((button): Parsed => ({ button, fields: fieldsOf(button) }));
  const shared = usual(all.flatMap(({ fields }) => (fields === undefined ? [] : [fields])));
  const id = JSON.stringify(shared);
  const base = id.length > LONGEST_ID ? {} : shared;
  return {
    blockId: Object.keys(base).length === 0 ? undefined : id,
    options: all.map(({ button: { action_id = "", value = "", text }, fields }) => ({
      value: `${action_id} ${fields === undefined ? value : JSON.stringify(beyond(base, fields))}`,
      text: text.text,
    })),
  };
}

/** The click on the button that an option replaces. */
export function carriedByOption(option: string, blockId: string): Carried {
  const at = option.indexOf(" ");
  const [actionId, own] = at === -1 ? [option, ""] : [option.slice(0, at), option.slice(at + 1)];
  const fields = parsed(own);
  if (fields === undefined) return { actionId, value: own };
  const { args, ...more } = withFields(parsed(blockId) ?? {}, fields);
  const isForm = actionId.startsWith(OPENS_FORM);
  return { actionId, value: JSON.stringify({ ...more, [isForm ? "values" : "args"]: args }) };
}

/** A form's values have the names of an Ask's arguments, and so are shared with them. */
function fieldsOf({ value = "" }: Button): Fields | undefined {
  const { values, ...fields } = parsed(value) ?? {};
  if (Object.keys(fields).length === 0) return undefined;
  return values === undefined ? fields : { ...fields, args: values };
}

/** Of each field the value that most of them have; of as many, the longest. */
function usual(all: readonly Fields[]): Fields {
  const found = namesIn(all).flatMap((name): [string, unknown][] => {
    const values = all.map((each) => each[name]);
    const nested = values.filter(isFields);
    if (nested.length > all.length / 2) return [[name, usual(nested)]];
    const groups = [...Map.groupBy(values, textOf)].toSorted(
      ([text, equal], [other, others]) => others.length - equal.length || other.length - text.length,
    );
    const value = groups[0]?.[1][0];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(found);
}

/** The names of the fields that only the base has. */
const GONE = "-";

function beyond(base: Fields, all: Fields): Fields {
  const gone = Object.keys(base).filter((name) => all[name] === undefined);
  const own = Object.entries(all).flatMap(([name, value]): [string, unknown][] => {
    const { [name]: shared } = base;
    if (textOf(shared) === textOf(value)) return [];
    return [[name, isFields(shared) && isFields(value) ? beyond(shared, value) : value]];
  });
  return { ...Object.fromEntries(own), ...(gone.length > 0 && { [GONE]: gone.join(",") }) };
}

function withFields(base: Fields, { [GONE]: names = "", ...own }: Fields): Fields {
  const gone = new Set(String(names).split(","));
  const kept = Object.entries(base).filter(([name]) => !gone.has(name));
  const changed = Object.entries(own).map(([name, value]): [string, unknown] => {
    const { [name]: shared } = base;
    return [name, isFields(shared) && isFields(value) ? withFields(shared, value) : value];
  });
  return Object.fromEntries([...kept, ...changed]);
}

function namesIn(all: readonly Fields[]): string[] {
  return [...new Set(all.flatMap((each) => Object.keys(each)))];
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function parsed(text: string): Fields | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
