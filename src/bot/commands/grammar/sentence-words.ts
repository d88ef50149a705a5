import { kindNamed } from "./argument-types.ts";
import { dictionary, isNoun, type Meaning, UNKNOWN } from "./dictionary.ts";
import { numberOf } from "./facets.ts";
import { isSomeName } from "./manners.ts";

/** The words of a sentence: each is a word that a phrase may have, or a value such as a name, a number or a time. */

export type SentenceWord = Meaning & { readonly text: string };

/** "The last restart of web" names a restart, and asks for none. */
const isEvent = (before: string, after: string): boolean =>
  /^(?:the|my|our|last|latest|newest|recent|next|previous|that|this)$/u.test(before) &&
  /^(?:of|for|on|to)$/u.test(after);

const fillers = new Set(
  "a an the our my your its their me us i we they of for on in at to from with about into please pls plz thx thanks thank ty kindly bitte danke gracias now just currently again still already yet here there right rn atm asap today moment really so too also hey hi hello last latest recent newest next new channel quick".split(
    " ",
  ),
);
const prepositions = new Set("of for on in at to from with about into".split(" "));
const articles = new Set(["the", "our", "my"]);

/** The words of a sentence without its times, without those that say nothing. */
export function wordsOf(sentence: string): readonly SentenceWord[] {
  const typed = sentence.split(" ").filter((word) => word !== "");
  const found: SentenceWord[] = [];
  for (let at = 0; at < typed.length;) {
    const { word, next } = readWord(typed, at);
    at = next;
    if (word !== undefined) found.push(word);
  }
  return found;
}

type Read = { readonly word?: SentenceWord; readonly next: number };

function readWord(typed: readonly string[], at: number): Read {
  const text = bare(typed[at]);
  const next = at + 1;
  const before = bare(typed[at - 1]);
  const value = valueOf(text, before);
  if (value !== undefined) return { word: { text, ...value }, next };
  const following = bare(typed[next]);
  // "running or stopped" asks about the state, as "running" does.
  if (text === "or" && isState(before) && isState(following)) return { next: next + 1 };
  // "in 3" and "from 1.4" mean something else than "to 3".
  const amount = prepositions.has(text) ? valueOf(following, text)?.is : undefined;
  const isMeant = amount === "COUNT" || (text !== "to" && (amount === "IMAGE" || amount === "MIB"));
  const isOn = text === "on" && typed.some((word) => /^(?:turn|switch)/u.test(word));
  if (isMeant || isOn) return { word: { text, is: text }, next };
  const names = namesAt(typed, at);
  if (names !== undefined) return names;
  if (fillers.has(text)) return { next };
  const kind = kindNamed(text);
  if (kind !== undefined && !dictionary.has(text)) {
    return { word: { text, is: "KIND", values: [kind.kind ?? "service"] }, next };
  }
  const known = dictionary.get(text) ?? { is: UNKNOWN };
  const isThing = known.any === "VERB" && isEvent(before, following);
  return { word: { text, ...known, ...(isThing && { any: "EVENT" }) }, next };
}

function bare(word = ""): string {
  return word.replace(/,$/u, "").replace(/^["'(]+|["')]+$/gu, "");
}

function isState(word: string): boolean {
  return /^(?:up|down|good|bad|finished|running|STATUS)$/u.test(dictionary.get(word)?.is ?? "");
}

/** What the form of a word says: a number, a version, a size, the ID of a request, a domain or a person. */
function valueOf(text: string, before: string): Meaning | undefined {
  if (/^(?:\d{1,4}|zero|one|two|three|four|five|six|seven|eight|nine|ten)$/u.test(text)) {
    return { is: "COUNT", values: [numberOf(text)] };
  }
  if (/^\d{1,5}(?:mib|mi|mb|m|gib|gi|gb|g)$/u.test(text)) return { is: "MIB", values: [mebibytes(text)] };
  if (/^#?(?=[a-z]*\d)[a-z0-9]{6}$/u.test(text)) return { is: "ID", values: [text.replace("#", "").toUpperCase()] };
  if (/^<@[uw][a-z0-9]{2,20}(?:\|[^>]*)?>$/u.test(text)) return { is: "PERSON", values: [text.toUpperCase()] };
  // What it sets may be a secret, and is left out.
  if (/^[a-z_]\w*=|^[a-z]+(?:_[a-z0-9]+)+$/u.test(text)) return { is: "VARIABLE" };
  const isNamedKind = kindNamed(text.slice(0, Math.max(0, text.indexOf("/")))) !== undefined;
  if (isNamedKind || text.length > LONGEST_VALUE) return undefined;
  if (/^(?:v?\d[\w.-]*|[a-z0-9][\w.-]*[/:][\w./:@-]+|latest|stable|main|master)$/u.test(text)) {
    // "the latest logs"
    const isImage = text !== "latest" || /^(?:to|version|tag|image|deploy)$/u.test(before);
    return isImage ? { is: "IMAGE", values: [text] } : undefined;
  }
  if (/^(?:\*\.)?[a-z0-9-]+(?:(?:\.[a-z0-9-]+)+\.[a-z]{2,}|\.(?:com|org|net|io|dev|app))$/u.test(text))
    return { is: "DOMAIN", values: [text] };
  return undefined;
}

const LONGEST_VALUE = 160;

function mebibytes(text: string): string {
  const [, count = "", unit = ""] = /^(\d+)([a-z]*)$/u.exec(text) ?? [];
  return String(Number(count) * (unit.startsWith("g") ? 1024 : 1));
}

/** A name, or a list of names: "the web service", "web, worker and api". */
function namesAt(typed: readonly string[], start: number): Read | undefined {
  const names: string[] = [];
  let at = start;
  for (;;) {
    const one = nameAt(typed, at);
    if (one === undefined) break;
    names.push(one.name);
    const isListed = typed[one.next - 1]?.endsWith(",") === true;
    const isLinked = /^(?:and|&)$/u.test(typed[one.next] ?? "");
    at = one.next + (isLinked ? 1 : 0);
    const isMore = (isListed || isLinked) && nameAt(typed, at) !== undefined;
    if (isMore) continue;
    at = one.next;
    break;
  }
  if (names.length === 0) return undefined;
  const kinds = kindNamed(bare(typed[at]));
  const isOfKind = names.length > 1 && bare(typed[at]).endsWith("s") && kinds !== undefined;
  // "The db and web statefulsets": both names get that kind. Whether a name is a service or a job is looked up later.
  const values = isOfKind && kinds.object !== undefined ? names.map((name) => `${kinds.prefix}/${name}`) : names;
  const text = typed.slice(start, at).join(" ");
  return { word: { text, is: names.length > 1 ? "NAMES" : "NAME", values }, next: at + (isOfKind ? 1 : 0) };
}

const MOST_JOINED = 3;

function nameAt(typed: readonly string[], at: number): { readonly name: string; readonly next: number } | undefined {
  const first = bare(typed[at]);
  if (articles.has(first)) return nameAt(typed, at + 1);
  const second = bare(typed[at + 1]);
  if (isKind(first)) {
    return isName(second, isQuoted(typed[at + 1])) && !typed[at]?.endsWith(",")
      ? { name: ofKind(first, second), next: at + 2 }
      : undefined;
  }
  const isNamed = (each: number) => isName(bare(typed[each]), isQuoted(typed[each]));
  if (!isNamed(at)) return undefined;
  // "the nightly report" is nightly-report
  let end = at + 1;
  if (articles.has(bare(typed[at - 1]))) {
    while (end - at < MOST_JOINED && typed[end - 1]?.endsWith(",") === false && isNamed(end)) end += 1;
  }
  const name = typed.slice(at, end).map(bare).join("-");
  const kind = typed[end - 1]?.endsWith(",") === true ? "" : bare(typed[end]);
  return isKind(kind) ? { name: ofKind(kind, name), next: end + 1 } : { name, next: end };
}

function isKind(word: string): boolean {
  return /^(?:workload|app|svc|service|job|deployment|statefulset|sts|daemonset|cronjob)$/u.test(word);
}

function ofKind(kind: string, name: string): string {
  if (name.includes("/") || kind === "workload" || kind === "app") return name;
  return `${kindNamed(kind)?.prefix ?? "service"}/${name}`;
}

const beforeName = /^(?:of|for|on|to|from|about|with|into)$/u;

/** The name in a sentence that isn't understood: the word after "of" or "is", or else the only word that can be a name. */
export function likelyName(sentence: string): string | undefined {
  const typed = sentence.split(" ").map(bare);
  const isAfter = (at: number, lead: (word: string) => boolean): boolean => {
    const before = typed[at - 1] ?? "";
    return articles.has(before) || isKind(before) ? isAfter(at - 1, lead) : lead(before);
  };
  const found = (lead: (word: string) => boolean) => typed.find((word, at) => isName(word, false) && isAfter(at, lead));
  const [only, ...others] = typed.filter((word) => isName(word, false));
  return (
    found((word) => beforeName.test(word)) ??
    found((word) => dictionary.get(word)?.is === "is") ??
    (typed.length > 1 && others.length === 0 ? only : undefined)
  );
}

/** "restart the queue" as `restart the "queue"`. What is before a number is the name, or else the last noun, but not the first word. */
export function withQuoted(sentence: string): readonly { readonly noun: string; readonly text: string }[] {
  const words = sentence.split(" ");
  const isCounted = (at: number) => /^(?:to )?\d/u.test(words.slice(at + 1).join(" "));
  const found = words.flatMap((word, at) => (at > 0 && isNoun(bare(word)) && words[at - 1] !== "my" ? [at] : []));
  return [...found.filter(isCounted), ...found.toReversed()].map((at) => {
    const noun = bare(words[at]);
    return { noun, text: words.with(at, `"${noun}"`).join(" ") };
  });
}

function isQuoted(word = ""): boolean {
  return /^".+",?$/u.test(word);
}

function isName(word: string, quoted: boolean): boolean {
  const isWord = /^(?:[a-z]+(?:\.v\d)?(?:\.(?:apps|batch))?\/)?[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*$/u.test(word);
  const isKnown = dictionary.has(word) || fillers.has(word) || isKind(word) || word === "and" || word === "or";
  if (quoted) return isWord && (isNoun(word) || isSomeName(word));
  return isWord && !isKnown && isSomeName(word) && valueOf(word, "") === undefined;
}
