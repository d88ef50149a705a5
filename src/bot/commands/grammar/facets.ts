import { TIME } from "./argument-types.ts";

/** What may be anywhere in a sentence: `SINCE`, `DAY`, `UNTIL`, the `TEXT` to look for, and a `REASON`. */
export type Facets = Readonly<Record<string, string>>;

const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

const COUNT = `(?:\\d{1,4} ?|(?:an?|${numbers.join("|")}) )`;
const UNIT = "(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)";
const period = new RegExp(
  `(?:^| )(?:(?:since|from|in|over|within|during|for|of) )?(?:the )?(?:(?:half an hour|this week|(?:\\d{1,4}[wdhms]){1,3}|${COUNT}${UNIT})(?: ago)?|(?:last|past) (?:${COUNT})?${UNIT})(?=$|,? )`,
  "u",
);
const day =
  /(?:^| )(?:(?:since|from|of|on|for|in) )?(today|yesterday|this morning|last night|\d{4}-\d{2}-\d{2})(?=$|,? )/u;
const until = new RegExp(
  `(?:^| )(?:until|till) ((?:tomorrow|[a-z]{3,6}day|\\d{4}-\\d{2}-\\d{2})?(?: ?(?:at )?${TIME})?)(?=$|,? )`,
  "u",
);

const ABOUT_LOGS = /\b(?:grep|find|search|logs?|lines|output)\b/u;

/** The sentence without its times, the text to look for and the reason. */
export function withoutFacets(sentence: string): { readonly rest: string; readonly facets: Facets } {
  const facets: Record<string, string> = {};
  let rest = sentence;
  const cut = (slot: string, pattern: RegExp, read: (text: string, all: string) => string = (text) => text): void => {
    const found = facets[slot] === undefined ? pattern.exec(rest) : null;
    if (found === null || found[0].trim() === "") return;
    facets[slot] = read(found[1] ?? "", found[0]);
    rest = rest.replace(found[0], "").trim();
  };
  if (/^(?:reject|deny|decline|refuse) /u.test(rest)) cut("REASON", /,? (?:because|since|as) (.{1,150})$/u);
  cut("UNTIL", until, (end) => end.replace(/ ?at /u, " ").replace(/ (?=[ap]m$)/u, ""));
  cut("DAY", day, dayIn);
  // What is said of memory is no time: 512m.
  if (!/\b(?:memory|mem|ram)\b/u.test(rest)) cut("SINCE", period, (_, all) => periodIn(all));
  if (ABOUT_LOGS.test(rest)) {
    cut("TEXT", /(?<=^(?:grep|search) .{1,100}) for (\S{1,60})$/u);
    cut("TEXT", /(?<=\b(?:grep|find|search|look)(?: for)?) (?!for )(\S{1,60})(?= in )/u);
    cut("TEXT", / (?:with|containing|matching|mentioning|about) (\S{1,60})$/u);
  }
  return { rest, facets };
}

function dayIn(text: string): string {
  if (/^\d/u.test(text)) return text;
  return /yesterday|last night/u.test(text) ? "yesterday" : "today";
}

/** "the last 5 minutes" → "5m". */
function periodIn(text: string): string {
  if (text.includes("half an hour")) return "30m";
  if (text.includes("this week")) return "7d";
  const [compound] = /(?:\d{1,4}[wdhms]){2,3}/u.exec(text) ?? [];
  if (compound !== undefined) return compound;
  const [, count = "one", unit = ""] = new RegExp(`(?:^| )(${COUNT})?(${UNIT})(?: ago)?$`, "u").exec(text) ?? [];
  return numberOf(count.trim()) + unit.charAt(0);
}

export function numberOf(count: string): string {
  if (/^\d/u.test(count)) return String(Number(count));
  // "a", "an"
  return numbers.includes(count) ? String(numbers.indexOf(count)) : "1";
}
