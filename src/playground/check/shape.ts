import { isList, isObject, type Json, textOf } from "../json.ts";
import { type LimitId, limits } from "../rules/limits.ts";
import type { Problem, RuleId } from "../rules/rules.ts";

export type Surface = "message" | "modal" | "home";

/** The state of checking one message or view. `actionIds` belong to the current block. */
export type Site = {
  readonly surface: Surface;
  readonly problems: Problem[];
  readonly blockIds: Set<string>;
  readonly actionIds: Set<string>;
  /** Counted over all blocks. */
  readonly totals: { focused: number };
};

/** Checks one value and adds its problems to `site.problems`. `at` is its JSON pointer. */
export type Check = (value: Json, at: string, site: Site) => void;
export type Property = { readonly check: Check; readonly needed: boolean };

export function newSite(surface: Surface): Site {
  return { surface, problems: [], blockIds: new Set(), actionIds: new Set(), totals: { focused: 0 } };
}

export function report(site: Site, rule: RuleId, problem: readonly [at: string, message: string]): void {
  site.problems.push({ rule, at: problem[0], message: problem[1] });
}

export const must = (check: Check): Property => ({ check, needed: true });
export const may = (check: Check): Property => ({ check, needed: false });

/** An object with these properties and no others. */
export function object(properties: Readonly<Record<string, Property>>): Check {
  return (value, at, site) => {
    if (!isObject(value)) return report(site, "object.value", [at, "must be an object"]);
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(properties, name))
        report(site, "object.property", [at, `invalid additional property: ${name}`]);
    }
    for (const [name, property] of Object.entries(properties)) {
      const inner = value[name];
      if (inner !== undefined) property.check(inner, `${at}/${name}`, site);
      else if (property.needed) report(site, "object.required", [at, `missing required field: ${name}`]);
    }
  };
}

/** A string of 1 to `limit` characters. */
export function text(limit: LimitId): Check {
  const { max } = limits[limit];
  return (value, at, site) => {
    if (typeof value !== "string") report(site, "object.value", [at, "must be a string"]);
    else if (value === "") report(site, "text.empty", [at, "must be more than 0 characters"]);
    else if (value.length > max) report(site, limit, [at, `must be less than ${max + 1} characters`]);
  };
}

const opened: ReadonlySet<string> = new Set(["http:", "https:", "mailto:", "tel:", "slack:"]);

/** A whole URL that a browser opens. */
export const url: Check = (value, at, site) => {
  if (typeof value !== "string") report(site, "object.value", [at, "must be a string"]);
  else if (!URL.canParse(value) || !opened.has(new URL(value).protocol)) report(site, "url.value", [at, "invalid url"]);
};

/** A string of any length, also "". */
export const anyString: Check = (value, at, site) => {
  if (typeof value !== "string") report(site, "object.value", [at, "must be a string"]);
};

/** A string with at least one character and no upper limit. */
export const someString: Check = (value, at, site) => {
  if (typeof value !== "string") report(site, "object.value", [at, "must be a string"]);
  else if (value === "") report(site, "text.empty", [at, "must be more than 0 characters"]);
};

export const flag: Check = (value, at, site) => {
  if (typeof value !== "boolean") report(site, "object.value", [at, "must be a boolean"]);
};

export function word(...words: readonly string[]): Check {
  return (value, at, site) => {
    if (typeof value !== "string" || !words.includes(value)) {
      report(site, "object.value", [at, `must be one of: ${words.join(", ")}`]);
    }
  };
}

export function pattern(shape: RegExp, example: string): Check {
  return (value, at, site) => {
    if (typeof value !== "string" || !shape.test(value))
      report(site, "object.value", [at, `must look like ${example}`]);
  };
}

/** An integer in a range; a value above the range breaks `rule`. */
export function whole(min: number, max: number, rule: RuleId = "object.value"): Check {
  return (value, at, site) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < min) {
      report(site, "object.value", [at, `must be a whole number from ${min}`]);
    } else if (value > max) report(site, rule, [at, `must be no more than ${max}`]);
  };
}

/** A list of 1 to `limit` items (without `limit`, of any length), each checked by `item`. */
export function list(item: Check, limit?: LimitId): Check {
  return (value, at, site) => {
    if (!isList(value)) return report(site, "object.value", [at, "must be an array"]);
    if (value.length === 0) report(site, "list.empty", [at, "no less than 1 items allowed"]);
    if (limit !== undefined && value.length > limits[limit].max) {
      report(site, limit, [at, `no more than ${limits[limit].max} items allowed`]);
    }
    for (const [index, entry] of value.entries()) item(entry, `${at}/${index}`, site);
  };
}

/** For a type that the bot didn't send so far: whoever sends it first adds it here. */
export function notShown(type: string): string {
  const where = "src/playground/block-kit.ts, check/, draw/ and page/blocks/";
  return `the playground doesn't show the type "${type}". If Slack does, add it in ${where}`;
}

/** Picks the check by the value's `type`. Types that are only for other blocks are `elsewhere`. */
export function byType(checks: Readonly<Record<string, Check>>, elsewhere: readonly string[] = []): Check {
  return (value, at, site) => {
    const type = isObject(value) ? textOf(value["type"]) : "";
    const check = Object.hasOwn(checks, type) ? checks[type] : undefined;
    if (check !== undefined) return check(value, at, site);
    if (elsewhere.includes(type)) report(site, "element.block", [`${at}/type`, `unsupported type: ${type}`]);
    else report(site, "block.type", [`${at}/type`, notShown(type)]);
  };
}

/** Passes when all of them pass. */
export function all(...checks: readonly Check[]): Check {
  return (value, at, site) => {
    for (const check of checks) check(value, at, site);
  };
}

const blockId: Check = all(text("block.id"), (value, at, site) => {
  if (typeof value !== "string") return;
  if (site.blockIds.has(value)) report(site, "block.id-unique", [at, `duplicate block_id: ${value}`]);
  site.blockIds.add(value);
});

/** A block of this type: its own properties and a unique block_id. */
export function block(type: string, properties: Readonly<Record<string, Property>>): Check {
  return object({ type: must(word(type)), block_id: may(blockId), ...properties });
}
