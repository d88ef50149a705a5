import type { Command } from "../command.ts";
import { commands } from "../verbs.ts";
import { nearNames } from "../../policy/near-names.ts";
import { kindNamed } from "./argument-types.ts";
import { namesOf } from "./find-command.ts";
import { isSomeName, withoutManners } from "./manners.ts";

/**
 * Reads the sentences that people write to a colleague by the phrases of the verbs. In a phrase `(a|b)` is a choice, `[ a]` may be
 * missing, and words in capitals are the slots below. Each phrase covers a whole sentence: with anything else in it, such as "if" or
 * "tomorrow", a sentence means something that we don't know. A slot that the sentence lacks is left out of the command, together with
 * its flag.
 */

/** Longer texts are no orders, and no text may make the patterns slow. */
const LONGEST = 200;

const OBJECT = "(?:deployment|statefulset|sts|daemonset|cronjob)";
const OWN_KIND = "service|svc|job|workload|app";
const KIND = `(?:${OWN_KIND}|${OBJECT})`;
const NAME = `(?:(?:the|our|my) )?(?:${KIND} )?(?:[a-z]+(?:\\.v\\d)?(?:\\.(?:apps|batch))?/)?[a-z][a-z0-9-]*(?:\\.[a-z0-9-]+)*(?: ${KIND})?`;
const KINDS = `(?:services|jobs|workloads|apps|${OBJECT}s)`;
const plural = new RegExp(`^(.+) (${KINDS})$`, "u");
const COUNT = "(?:\\d{1,4}|a|an|zero|one|two|three|four|five|six|seven|eight|nine|ten)";
const UNIT = "(?:m|h|d|w|min|minutes?|mins|hours?|hrs?|days?|weeks?)";
const PERIOD = `(?:half an hour|this week|(?:${COUNT} ?)?${UNIT})`;

const namesOfVerbs = commands.flatMap(namesOf).filter((name) => /^[a-z]/u.test(name));

/** What people say was done, as `history --verb` names it. A rollback deploys as well. */
const verbsDone: Readonly<Record<string, readonly string[]>> = {
  restarted: ["restart"],
  stopped: ["stop"],
  started: ["start"],
  scaled: ["scale"],
  deleted: ["delete"],
  created: ["create"],
  deployed: ["deploy,rollback"],
  "rolled back": ["rollback"],
  muted: ["mute"],
};

type Slot = {
  readonly pattern: string;
  /** The words of the command; undefined when the text can't be meant. */
  readonly read?: (text: string) => readonly string[] | undefined;
};

const slots: Readonly<Record<string, Slot>> = {
  NAME: { pattern: NAME, read: (text) => listed([nameIn(text)]) },
  NAMES: {
    pattern: `${NAME}(?:(?:, and|,| and| &) ${NAME})*(?: ${KINDS})?`,
    read: (text) => {
      const [, names = text, kinds = ""] = plural.exec(text) ?? [];
      const named = kindNamed(kinds);
      const known = listed(names.split(/, and |, | and | & /u).map(nameIn));
      // "The db and web statefulsets" are of that kind; what is a service or a job is looked up.
      return named?.object === undefined ? known : known?.map((name) => `${named.prefix}/${name}`);
    },
  },
  KINDS: {
    pattern: "(?:services?|jobs?|workloads?|apps?|ones|things)",
    read: (text) => (/^(?:service|job)/u.test(text) ? [text.replace(/s?$/u, "s")] : []),
  },
  KIND: { pattern: `(?:${OWN_KIND})`, read: (text) => (text === "job" ? ["job"] : ["service"]) },
  COUNT: { pattern: COUNT, read: (text) => [numberOf(text)] },
  REVISION: { pattern: `(?:\\d{1,9}|${COUNT})`, read: (text) => [numberOf(text)] },
  SINCE: {
    pattern: `(?:(?:since|from|in|over|within|during|for|of) )?(?:the )?(?:(?:last|past) )?${PERIOD}(?: ago)?`,
    read: (text) => [periodIn(text)],
  },
  DAY: {
    pattern: "(?:(?:since|from|of|on|for) )?(?:today|yesterday|this morning|last night|\\d{4}-\\d{2}-\\d{2})",
    read: (text) => [dayIn(text)],
  },
  /** A version, or a word that only an image can be: "deploy web please" names none. */
  IMAGE: {
    pattern: "(?:v?\\d[\\w.-]{0,80}|[a-z0-9][\\w.-]*[/:][\\w./:@-]{1,160}|latest|stable|main|master)",
    read: (text) => [text],
  },
  MIB: { pattern: "\\d{1,5} ?(?:mib|mi|mb|m|gib|gi|gb|g)?", read: (text) => [mebibytes(text)] },
  ID: { pattern: "#?[a-z0-9]{6}", read: (text) => [text.replace("#", "").toUpperCase()] },
  DOMAIN: { pattern: "(?:\\*\\.)?[a-z0-9-]+(?:\\.[a-z0-9-]+)+", read: (text) => [text] },
  REASON: { pattern: ".{1,150}", read: (text) => [text] },
  TEXT: { pattern: "\\S{1,60}", read: (text) => [text] },
  VERB: { pattern: `(?:${namesOfVerbs.join("|")})`, read: (text) => [text] },
  STATUS: { pattern: "(?:running|stopped|restarting|complete|completed|waiting|healthy)", read: (text) => [text] },
  SHOW: { pattern: "(?:(?:show|get|give|send|fetch|read|tail|see|view|list)(?: me| us)? )?(?:the |our |my )?" },
  LINES: { pattern: "(?:logs?|log lines|lines|output)" },
  ERRORS: { pattern: "(?:errors?|error lines|exceptions?|failures|stack traces?)" },
  EVENTS: { pattern: "(?:changes|history|activity|events|requests|audit[ ]?log)" },
  COPIES: { pattern: "(?:instances?|replicas?|copies|copy)" },
  CHANGE: { pattern: "(?:change|request|scaling|scale|step|action|command|one|thing)" },
  UNDO: { pattern: "(?:undo|revert|roll back|rollback|take back)" },
  WRONG: { pattern: "(?:wrong|up|going on|happening|the (?:problem|matter|issue))" },
  BAD: {
    pattern:
      "(?:broken|down|failing|failed|crashing|crashed|unhealthy|wrong|red|dead|on fire|in trouble|not (?:running|working|ok))",
  },
  TROUBLES: { pattern: "(?:alerts?|problems?|issues?|trouble|troubles|failures?|outages?|incidents?)" },
  STATE: {
    pattern:
      "(?:up|down|ok|okay|running|healthy|unhealthy|alive|working|failing|broken|fine|dead|stopped|ready|doing|back|crashing|restarting)",
  },
  DID: {
    pattern: `(?:approved|requested|changed|touched|broke|${Object.keys(verbsDone).join("|")})`,
    // What approved or broke it can be any command.
    read: (text) => verbsDone[text] ?? [],
  },
  TROUBLE: { pattern: "(?!.*\\b(?:and|or)\\b)[a-z' ]{1,60}" },
  ANYTHING: { pattern: ".{1,160}" },
};

/** Longest first: `NAMES` isn't a `NAME`. */
const anySlot = new RegExp(
  Object.keys(slots)
    .toSorted((a, b) => b.length - a.length)
    .join("|"),
  "gu",
);

function patternOf(says: string): string {
  return says
    .replaceAll(/\[|\(|\]/gu, (mark) => (mark === "]" ? ")?" : "(?:"))
    .replaceAll(anySlot, (slot) => {
      const { pattern = "", read } = slots[slot] ?? {};
      return read === undefined ? pattern : `(?<${slot}>${pattern})`;
    });
}

/**
 * Whose phrases are tried first where those of two verbs fit a sentence: "is gantry up" asks about the bot, and "show
 * failures" about a workload of that name. The other verbs follow in the order of help.
 */
const precedence = ["why", "status", "show", "list", "pending", "history"];

function rankOf({ name }: Command): number {
  const rank = precedence.indexOf(name);
  return rank < 0 ? precedence.length : rank;
}

const compiled = commands
  .toSorted((one, other) => rankOf(one) - rankOf(other))
  .flatMap(({ phrases = [] }) => phrases)
  .map(([says, means]) => ({ pattern: new RegExp(`^(?:${patternOf(says)})$`, "u"), means: means.split(" ") }));

/** Asks whether a command is allowed, and names the command. */
const permission =
  /^(?:(?:can|may|could|am) i (?:please |allowed to )?|who (?:can|may) |do i have (?:the )?(?:permission|rights?) to |is it (?:ok|okay|allowed) (?:for me )?to )(?<rest>.+)$/u;

/** The words of the command that a sentence means; undefined for one that matches nothing. Pure. */
export function wordsOfSentence(sentence: string, regions: readonly string[]): readonly string[] | undefined {
  if (sentence.length > LONGEST) return undefined;
  for (const bare of withoutManners(sentence).flatMap(withQuestionWord)) {
    const rest = permission.exec(bare)?.groups?.["rest"];
    if (rest !== undefined) return ["can-i", ...(wordsOfSentence(rest, regions) ?? rest.split(" "))];
    const words = wordsInRegion(bare, regions) ?? meaningOf(bare) ?? meaningOf(bare.replaceAll(",", ""));
    if (words !== undefined) return ofRegion(words, regions);
  }
  return undefined;
}

/** "what's in us", "services in us": what precedes the region asks for all of it, but no phrase of a verb fits it alone. */
const ALL_OF_REGION =
  /^(?:(?:what|which|how many)(?:'s| is| are)?|whats|anything|everything|list|show(?: me)?|(?:what|which|how many) (?:KINDS) (?:is|are)|(?:all )?(?:the )?(?:KINDS))(?: there)?$/u;

/** The words of a sentence that ends with a known region, such as "what's running in us", or that chooses one. */
function wordsInRegion(bare: string, regions: readonly string[]): readonly string[] | undefined {
  if (regions.length === 0) return undefined;
  // Names of regions are letters, digits, - and _ (settings.ts, read-clusters.ts).
  const known = regions.map((region) => region.toLowerCase()).join("|");
  const chosen = new RegExp(`^(?:use|switch to|change to) (?:the )?(?:region )?(${known})(?: region)?$`, "u").exec(
    bare,
  );
  if (chosen !== null) return ["use", "--region", chosen[1] ?? ""];
  const place = `(?:in|to) (?:the )?(?:region )?(${known})(?: region)?|(?:of|from|on|for) (?:the )?(?:region (${known})|(${known}) region)`;
  const [, rest = "", ...found] = new RegExp(`^(.+) (?:${place})$`, "u").exec(bare) ?? [];
  const region = found.find((each) => each !== undefined);
  if (region === undefined) return undefined;
  const words = meaningOf(rest) ?? allOfRegion(rest);
  return words && [...words, "--region", region];
}

function allOfRegion(rest: string): readonly string[] | undefined {
  const [kind] = /\b(?:service|job)s?\b/u.exec(rest) ?? [];
  const plural = rest.replace(new RegExp(slots["KINDS"]?.pattern ?? "", "u"), "KINDS");
  return ALL_OF_REGION.test(plural) ? ["list", ...(kind === undefined ? [] : [kind])] : undefined;
}

/** "how is beijing1" is about a region, not a workload. Regions get the spelling of the configuration. */
function ofRegion(words: readonly string[], regions: readonly string[]): readonly string[] {
  const named = (word: string | undefined) => regions.find((region) => region.toLowerCase() === word);
  const [verb = "", name] = words;
  const region = words.length === 2 ? named(name) : undefined;
  if (region !== undefined && verb === "show") return ["list", "--region", region];
  if (region !== undefined && verb === "why") return ["list", "failed", "--region", region];
  return words.map((word, at) => (words[at - 1] === "--region" ? (named(word) ?? word) : word));
}

const questionWords = ["what", "whats", "which", "who", "why", "when", "where", "how"];

/** The question word that was misspelt: "what" for "wat". Pure. */
export function questionWordNear(word: string): string | undefined {
  if (questionWords.includes(word) || namesOfVerbs.includes(word)) return undefined;
  return nearNames(word, questionWords).find((each) => each.charAt(0) === word.charAt(0));
}

/** The sentence, and then the same with a misspelt question word corrected. */
function withQuestionWord(bare: string): readonly string[] {
  const [first = ""] = bare.split(" ", 1);
  const meant = questionWordNear(first);
  return meant === undefined ? [bare] : [bare, meant + bare.slice(first.length)];
}

function meaningOf(bare: string): readonly string[] | undefined {
  for (const { pattern, means } of compiled) {
    const found = pattern.exec(bare);
    const words = found === null ? undefined : filled(means, found.groups ?? {});
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The command with the words of its slots; without those that the sentence lacks, and without their flags. */
function filled(means: readonly string[], found: Readonly<Record<string, string>>): readonly string[] | undefined {
  const words: string[] = [];
  for (const each of means) {
    const [, sign = "", slot] = /^([+-]?)([A-Z]{2,})$/u.exec(each) ?? [];
    if (slot === undefined) {
      words.push(each);
      continue;
    }
    // "scale up web" is by one.
    const text = found[slot] ?? (sign === "" ? undefined : "one");
    const read = text === undefined ? [] : slots[slot]?.read?.(text);
    if (read === undefined) return undefined;
    if (read.length === 0 && words.at(-1)?.startsWith("--") === true) words.pop();
    words.push(...read.map((word) => sign + word));
  }
  return words;
}

/** "the web service" → "service/web"; undefined for words that can hardly be a name. */
function nameIn(text: string): string | undefined {
  const words = text.replace(/^(?:the|our|my) /u, "").split(" ");
  const [first = "", second] = words;
  if (second === undefined) return isSomeName(first) ? first : undefined;
  const isKind = new RegExp(`^${KIND}$`, "u");
  const [name, kind] = isKind.test(first) ? [second, first] : [first, second];
  if (!isSomeName(name)) return undefined;
  if (name.includes("/") || kind === "workload" || kind === "app") return name;
  return `${kindNamed(kind)?.prefix ?? "service"}/${name}`;
}

function listed(names: readonly (string | undefined)[]): readonly string[] | undefined {
  const known = names.filter((name) => name !== undefined);
  return known.length < names.length ? undefined : known;
}

const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function numberOf(count: string): string {
  if (/^\d/u.test(count)) return String(Number(count));
  // "a", "an"
  return numbers.includes(count) ? String(numbers.indexOf(count)) : "1";
}

function dayIn(text: string): string {
  const [date] = /\d{4}-\d{2}-\d{2}/u.exec(text) ?? [];
  return date ?? (/yesterday|last night/u.test(text) ? "yesterday" : "today");
}

/** "the last 5 minutes" → "5m". */
function periodIn(text: string): string {
  if (text.includes("half an hour")) return "30m";
  if (text.includes("this week")) return "7d";
  const [, count = "one", unit = ""] = new RegExp(`(?:^| )(?:(${COUNT}) ?)?(${UNIT})(?: ago)?$`, "u").exec(text) ?? [];
  return numberOf(count) + unit.charAt(0);
}

function mebibytes(text: string): string {
  const [, count = "", unit = ""] = /^(\d+) ?([a-z]*)$/u.exec(text) ?? [];
  return String(Number(count) * (unit.startsWith("g") ? 1024 : 1));
}
