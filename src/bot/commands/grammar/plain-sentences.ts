import { type Command, isReadOnly } from "../command.ts";
import { commands } from "../verbs.ts";
import { nearNames } from "../../policy/near-names.ts";
import { namesOf } from "./find-command.ts";
import { withoutManners } from "./manners.ts";
import { phraseWord, recordedAs, withExpressions } from "./dictionary.ts";
import { type Facets, withoutFacets } from "./facets.ts";
import { type SentenceWord, withQuoted, wordsOf } from "./sentence-words.ts";

/**
 * Reads the sentences that people write to a colleague by the phrases of the verbs. A phrase is the words of a sentence in any order,
 * each for all its synonyms; `(a|b)` is a choice, `[a]` may be missing, and words in capitals are values. A sentence fits only with all
 * its words: with anything else in it, such as "if" or "tomorrow", it means something that we don't know. After "…" it may go on with any
 * words. A value that the sentence lacks is left out of the command, together with its flag.
 */

/** Longer texts are no orders. */
const LONGEST = 200;

type Meaning = {
  readonly means: readonly string[];
  readonly isRead: boolean;
  /** All words of its phrases. */
  readonly own: ReadonlySet<string>;
};

const phrases = new Map<string, Meaning[]>();
/** Those that may go on. */
const beginnings = new Map<string, Meaning[]>();

for (const command of commands) for (const [says, means] of command.phrases ?? []) addPhrase(command, says, means);

function addPhrase(command: Command, says: string, means: string): void {
  const own = new Set((says.match(/[a-z-]+/gu) ?? []).map(phraseWord));
  const meaning = { means: means.split(" "), isRead: isReadOnly(command), own };
  for (const each of choicesOf(says)) {
    const words = each.split(" ").filter((word) => word !== "" && word !== "…");
    const known = each.includes("…") ? beginnings : phrases;
    // One name is a list, too.
    for (const names of new Set(words.includes("NAMES") ? ["NAMES", "NAME"] : [""])) {
      const own = words.map((word) => (word === "NAMES" ? names : word));
      const key = keyOf(own.map((word) => (/^[A-Z]/u.test(word) ? word : phraseWord(word))));
      known.set(key, [...(known.get(key) ?? []), meaning]);
    }
  }
}

/** All that `(a|b)` and `[c]` may be. */
function choicesOf(says: string): readonly string[] {
  const [group, choice, optional = ""] = /\(([^()[\]]*)\)|\[([^()[\]]*)\]/u.exec(says) ?? [];
  if (group === undefined) return says.split("|");
  const options = choice?.split("|") ?? ["", ...optional.split("|")];
  return options.flatMap((option) => choicesOf(says.replace(group, () => option)));
}

/** The words in any order. */
function keyOf(words: readonly string[]): string {
  return [...new Set(words)].toSorted().join(" ");
}

/** Asks whether a command is allowed, and names the command. */
const permission =
  /^(?:(?:why )?(?:(?:can|may|could|can't|can not) (?:i|we)|(?:am|are) (?:i|we) allowed to) (?:please )?|who (?:can|may|must|has to|needs to) (?:approve (?:an? |the )?)?|(?:why )?(?:do (?:i|we) need (?:an )?approval|is (?:an )?approval (?:needed|required)) (?:to|for) |do (?:i|we) have (?:the )?(?:permission|rights?) to |is it (?:ok|okay|allowed) (?:for (?:me|us) )?to )(?<rest>.+)$/u;

/** The words of the command that a sentence means; undefined for one that matches nothing. Pure. */
export function wordsOfSentence(sentence: string, regions: readonly string[]): readonly string[] | undefined {
  if (sentence.length > LONGEST) return undefined;
  const bare = withoutManners(sentence);
  return wordsOfBare(bare, regions) ?? wordsOfBare(withQuestionWord(bare), regions);
}

function wordsOfBare(bare: string | undefined, regions: readonly string[]): readonly string[] | undefined {
  if (bare === undefined) return undefined;
  const rest = permission.exec(bare)?.groups?.["rest"];
  const isAllowed = rest !== undefined && !/^(?:approve$|it$|this\b|that$|(?:my |our |the )?requests?\b)/u.test(rest);
  if (isAllowed) return ["can-i", ...(wordsOfBare(rest, regions) ?? rest.split(" "))];
  const [, verb] = /^help (?:me (?:with |to )?|with )([a-z-]+)$/u.exec(bare) ?? [];
  if (verb !== undefined) return ["help", verb];
  const { text, region } = withoutRegion(bare, regions);
  const words = meaningOf(text);
  return words && ofRegion([...words, ...(region === undefined ? [] : ["--region", region])], regions);
}

/** A sentence may end with a known region, such as "what's running in us". */
function withoutRegion(bare: string, regions: readonly string[]): { readonly text: string; readonly region?: string } {
  // Names of regions are letters, digits, - and _ (settings.ts, read-clusters.ts).
  const known = regions.map((region) => region.toLowerCase()).join("|");
  if (known === "") return { text: bare };
  const chosen = new RegExp(
    `^(?:use|(?:switch|change) to) (?:the )?(?:region )?(${known})(?: region)?(?: here)?$`,
    "u",
  ).exec(bare)?.[1];
  if (chosen !== undefined) return { text: "use", region: chosen };
  const place = `(?:in|to) (?:the )?(?:region )?(${known})(?: region)?|(?:of|from|on|for) (?:the )?(?:region (${known})|(${known}) region)`;
  const [, text = bare, ...found] = new RegExp(`^(.+) (?:${place})$`, "u").exec(bare) ?? [];
  const region = found.find((each) => each !== undefined);
  return region === undefined ? { text } : { text, region };
}

/** "how is beijing1" is about a region, not a workload. Regions get the spelling of the configuration. */
function ofRegion(words: readonly string[], regions: readonly string[]): readonly string[] {
  const named = (word: string | undefined) => regions.find((region) => region.toLowerCase() === word);
  const [verb = "", name] = words;
  const region = words.length <= 3 ? named(name) : undefined;
  if (region !== undefined && verb === "show") return ["list", "--region", region];
  if (region !== undefined && verb === "why") return ["list", "failed", "--region", region];
  return words.map((word, at) => (words[at - 1] === "--region" ? (named(word) ?? word) : word));
}

const questionWords = ["what", "whats", "which", "who", "why", "when", "where", "how"];
const namesOfVerbs = commands.flatMap(namesOf);

/** The question word that was misspelt: "what" for "wat". Pure. */
export function questionWordNear(word: string): string | undefined {
  if (questionWords.includes(word) || namesOfVerbs.includes(word)) return undefined;
  return nearNames(word, questionWords).find((each) => each.charAt(0) === word.charAt(0));
}

/** The same sentence with a misspelt question word corrected. */
function withQuestionWord(bare: string): string | undefined {
  const [first = ""] = bare.split(" ", 1);
  const meant = questionWordNear(first);
  return meant === undefined ? undefined : meant + bare.slice(first.length);
}

/** Words of a question or a wish that leave what it is about as it is, unless a phrase has them. */
const asking = new Set(["what", "is", "show", "get", "give", "need", "any", "all", "you", "it"]);

function meaningOf(bare: string): readonly string[] | undefined {
  const { rest, facets } = withoutFacets(withExpressions(bare));
  const words = wordsOf(rest);
  return phraseOf(words, facets) ?? beginningOf(words, facets) ?? meaningOfNoun(rest, facets);
}

/** What a sentence means with one of its nouns as a name: "logs of queue". */
function meaningOfNoun(rest: string, facets: Facets): readonly string[] | undefined {
  for (const { noun, text } of withQuoted(rest)) {
    const found = phraseOf(wordsOf(text), facets, phraseWord(noun));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The meaning of the phrase that has exactly these words. `named`: a noun that is read as a name, unless the phrase has it. */
function phraseOf(words: readonly SentenceWord[], facets: Facets, named = ""): readonly string[] | undefined {
  const slots = words.filter(({ is }) => /^[A-Z]/u.test(is)).map(({ is }) => is);
  // Two names without "and" are no list, and "web is slow" is no question.
  const isClear = new Set(slots).size === slots.length && !(slots.includes("NAME") && slots.includes("NAMES"));
  const isStatement = words[0]?.is === "NAME" && words[1]?.is === "is";
  if (!isClear || isStatement) return undefined;
  const exact = words.map(({ is }) => is);
  const general = words.map(({ is, any = is }) => any);
  const asId = words.map(({ is, text }) => (is === "NAME" && text.length === 6 ? "ID" : is));
  const having = (keys: readonly string[]) => phrases.get(keyOf(keys)) ?? [];
  const asked = [exact, general].flatMap((keys) => having(keys.filter((word) => !asking.has(word))));
  const known = [...[exact, general, asId].flatMap(having), ...asked.filter(({ isRead }) => isRead)];
  return firstFilled(
    known.filter(({ own }) => !own.has(named)),
    words,
    facets,
  );
}

/** The shortest beginning that a phrase has; what follows is about one workload as well. */
function beginningOf(words: readonly SentenceWord[], facets: Facets): readonly string[] | undefined {
  if (words.some(({ text }) => /^(?:and|or|&)$/u.test(text))) return undefined;
  for (let length = 1; length <= words.length; length += 1) {
    const begun = words.slice(0, length);
    const known = [begun.map(({ is }) => is), begun.map(({ is, any = is }) => any)];
    const found = known.flatMap((keys) => beginnings.get(keyOf(keys)) ?? []);
    // Why something happened today is asked of now.
    if (found.length > 0) return firstFilled(found, begun, facets);
  }
  return undefined;
}

function firstFilled(known: readonly Meaning[], words: readonly SentenceWord[], facets: Facets) {
  for (const { means, isRead } of known) {
    // "The last restart of web" is no order, but "set the memory of web" is one.
    const [only, ...others] = words.filter(({ is }) => !/^[A-Z]/u.test(is));
    if (!isRead && others.length === 0 && only?.any === "EVENT") continue;
    const isOfJob = means.includes("NIGHT");
    const left = Object.entries(facets).filter(([slot]) => !means.includes(slot) && !(isOfJob && slot === "DAY"));
    // What is true now is so today.
    const isNow = (slot: string, value: string): boolean =>
      slot === "DAY" && (value === "today" || words[0]?.is === "why");
    if (!left.every(([slot, value]) => isRead && isNow(slot, value))) continue;
    return filled(means, words, facets);
  }
  return undefined;
}

/** The command with the values of its slots; without those that the sentence lacks, and without their flags. */
function filled(means: readonly string[], words: readonly SentenceWord[], facets: Facets): readonly string[] {
  const made: string[] = [];
  for (const each of means) {
    const [, sign = "", slot] = /^([+-]?)([A-Z]{2,})$/u.exec(each) ?? [];
    if (slot === undefined) {
      made.push(each);
      continue;
    }
    const found = valuesOf(slot, words, facets);
    // "scale up web" is by one.
    const values = found.length === 0 && sign !== "" ? ["1"] : found;
    if (values.length === 0 && made.at(-1)?.startsWith("--") === true) made.pop();
    made.push(...values.map((value) => sign + value));
  }
  return made;
}

function valuesOf(slot: string, words: readonly SentenceWord[], facets: Facets): readonly string[] {
  const having = (wanted: string) => words.find(({ is, any }) => is === wanted || any === wanted)?.values;
  const facet = facets[slot];
  if (facet !== undefined) return slot === "UNTIL" ? ["until", ...facet.split(" ")] : [facet];
  // Of a period, all is wanted.
  if (slot === "LAST") return "DAY" in facets || "SINCE" in facets ? [] : ["--last"];
  if (slot === "NAME" || slot === "NAMES") return having("NAMES") ?? having("NAME") ?? [];
  if (slot === "MIB") return having("MIB") ?? having("COUNT") ?? [];
  if (slot === "DID")
    return (having("VERB") ?? having("EVENT") ?? having("STATUS"))?.flatMap(recordedAs) ?? having("DONE") ?? [];
  return having(slot) ?? [];
}
