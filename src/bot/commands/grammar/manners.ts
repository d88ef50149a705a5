import { UserError } from "../../errors.ts";
import { echo } from "./words.ts";

/** Words around an order in English, German and Spanish: greetings, polite words, negations. All pure. */

const greeting =
  /^(?:(?:hi|hello|hey|hiya|yo|howdy|good (?:morning|afternoon|evening|day)|please|pls|plz|thanks|thank you|thank u|thx|ty|cheers|great|ok|okay|cool|nice|ping|help me|what can (?:you|i) do|who are you|how does this work|hallo|moin|servus|guten (?:morgen|tag|abend)|bitte|danke|hola|buenas|buen(?:os)? d[ií]as?|buenas (?:tardes|noches)|por favor|gracias)(?: there| gantry| all| everyone| everybody| team| folks| so much| very much| a lot| here)*(?: |$))+$/u;

/** Nothing, or words that only greet or ask politely. */
export function isPolite(sentence: string): boolean {
  return plain(sentence) === "" || greeting.test(plain(sentence).replaceAll(",", ""));
}

/** What people begin a message with. "Help me" and "thanks" may be all of a message, so they begin none. */
const opening = new RegExp(
  "^(?:hey|hi|hello|hiya|yo|please|pls|plz|kindly|good (?:morning|afternoon|evening|day)|hallo|moin|servus|guten (?:morgen|tag|abend)|bitte|hola|buenas(?: tardes| noches)?|buen(?:os)? d[ií]as?|por favor)(?: (?:there|gantry|all|team|folks|everyone))?$",
  "u",
);
const LONGEST_OPENING = 3;

/** The words after "hey", "good morning" and "please". */
export function withoutOpening(words: readonly string[]): readonly string[] {
  for (let length = Math.min(LONGEST_OPENING, words.length); length > 0; length -= 1) {
    if (opening.test(plain(words.slice(0, length).join(" ")))) return withoutOpening(words.slice(length));
  }
  return words;
}

const polite =
  "yes|yeah|yep|and|hey|hi|hello|(?:can|could|may) (?:i|we) (?:get|have)|ok|okay|so|well|please|pls|plz|kindly|just|(?:can|could|would|will) you|(?:i|we)(?:'d| would) like(?: you)? to|(?:i|we) (?:want|need)(?: you)? to|let's|go ahead and|do an?|hallo|hola|bitte|por favor";
const before = new RegExp(`^(?:(?:${polite}),? )+`, "u");

/** The sentence without the polite words that it begins with, or a greeting of the bot. */
export function withoutManners(sentence: string): string {
  return plain(sentence)
    .replace(/^(?:(?:hey|hi|hello) )?gantry,? /u, "")
    .replace(before, "");
}

const negations = wordSet(
  "not never no nope nah none nobody nothing neither nor without except unless avoid cannot instead rather cant dont doesnt didnt wont wouldnt shouldnt couldnt mustnt neednt isnt arent ain't",
  "nicht nichts nie niemals kein keine keinen keinem keiner keinesfalls keineswegs ohne statt anstatt außer nein niemand weder",
  "nunca jamás jamas tampoco ni sin nada nadie ningún ningun ninguna ninguno excepto",
);

/** A word that may turn a command into its opposite. Nothing is changed because of such a sentence. */
export function isNegated(words: readonly string[]): boolean {
  const all = words.flatMap((word) => plain(word).split(/[ ,()[\]"“”]+/u));
  return all.some((word) => negations.has(word) || /n['`´]t$/u.test(word));
}

/** Words that lead to a time, a place, a condition or an exception, or are one. */
const links = wordSet(
  "a about an the it its this that these those them they he she i we you me us my our your again please pls plz kindly thanks thx ty cheers now then later today tomorrow tonight yesterday soon once and or but if unless when whenever while until till except every after before because so to of for from with on in at by as is are was were just only",
);

/** Words that a sentence has in the place of a name: "restart it and stop the other one" names nothing. */
const noNames = wordSet(
  "last everything everybody anything something any some one both each other be been do does did done can could will would should may might what why how who where which there here up down off running failing broken wrong slow stuck sure also too very restart restarting restarted stop stopping stopped start starting started delete deleting deleted scale scaling create creating fine works worked said says typed wrote call hard posting most least lot often enable disable owns else first twice during weekend monday tuesday wednesday thursday friday saturday sunday",
  "der die das den dem ein eine einen ist war wird wurde sind waren und oder aber dann wenn erst morgen heute gestern bitte danke auch noch schon wieder nur nochmal mal doch mit bei von zu für auf im am ich du er sie wir ihr hat hatte jetzt später",
  "el la los las un una es fue está esta son y o pero si cuando luego después hoy ayer mañana gracias también ya solo sólo con de del para por que se lo al en ahora yo tú él ella nosotros ha había",
);
const nouns = wordSet(
  "all service services job jobs workload workloads app apps logs log lines errors status approval thing things alert alerts region regions request requests live crashing crashed unhealthy",
);

/** Whether a word can hardly be a name. */
export function isNoName(word: string): boolean {
  return isLink(word) || noNames.has(withoutEnd(word.toLowerCase()));
}

/** The same among the words of a command, where a workload may be named "slow". */
export function isLink(word: string): boolean {
  const bare = withoutEnd(word.toLowerCase());
  return links.has(bare) || /^\d{1,2}(?::\d{2}|(?::\d{2})?[ap]m)$/u.test(bare);
}

/** The same for a sentence, in which words such as "service" name no workload either. */
export function isSomeName(word: string): boolean {
  const name = word.replace(/^.*\//u, "");
  return !isNoName(name) && !nouns.has(name);
}

const mark = "(?:[?？؟⁇⁈⁉‽❓❔]|:(?:grey_)?question:|:interrobang:)";
const markAtEnd = new RegExp(`${mark}(?:[!.…\\s]|:[a-z0-9_+-]+:|\\p{Extended_Pictographic})*$`, "u");

/** A question changes nothing. A mark within quotes at its end belongs to the quoted words. */
export function isQuestion(text: string): boolean {
  return markAtEnd.test(text);
}

/** A word without the punctuation behind it. What comes before that is looked at once, however long the word is. */
export function withoutEnd(word: string): string {
  return word.replace(/(?<![.,;:!?…])[.,;:!?…]+$/u, "");
}

/** In lower case, with straight apostrophes, without emoji and punctuation; commas stay. */
export function plain(sentence: string): string {
  return sentence
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'")
    .replaceAll(/:[a-z0-9_+-]+:|\p{Extended_Pictographic}/gu, " ")
    .replaceAll(/(?<![.;:!?…¿¡])[.;:!?…¿¡]+(?=\s|$)|(?<=^|\s)[¿¡]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/ ?,[ ,]*/gu, ", ")
    .replaceAll(/^, |,? $/gu, "")
    .trim();
}

function wordSet(...languages: readonly string[]): ReadonlySet<string> {
  return new Set(languages.flatMap((words) => words.split(" ")));
}

/** A request has no use for some of its words. It is refused: they may say when, where or under which condition. */
export class LeftOver extends UserError {}

/** The refusal, which names the words: "at 18:00". Pure. */
export function leftOver(words: readonly string[]): LeftOver {
  // What follows such a word may be a secret.
  const end = words.findIndex((word) => word.includes("="));
  const shown = withoutEnd((end < 0 ? words : words.slice(0, end)).join(" "));
  const [first = "", place, ...others] = words;
  const mayBeRegion = /^(?:in|to)$/iu.test(first) && /^[a-z]/iu.test(place ?? "") && others.length === 0;
  const mayBeName = words.length === 1 ? ` If it is a name, write \`service/${shown}\`.` : "";
  return new LeftOver(`I didn't understand ${echo(shown)}. Nothing was changed.`, {
    next: mayBeRegion
      ? `If it is a region, write \`--region ${withoutEnd(place ?? "")}\`.`
      : `I can't follow a time, a condition or an exception. Leave it out to do the rest now.${mayBeName}`,
  });
}

/** The position of the first word that links something to the names, or -1. "and" between two names is fine. Pure. */
export function firstLink(words: readonly string[]): number {
  return words.findIndex((word, at) => {
    const isBetween = at > 0 && at < words.length - 1;
    return isLink(word) && !(isBetween && AND.test(word));
  });
}

/** Between the names of a list. */
export const AND = /^(?:and|&|,)$/iu;

/** Throws `LeftOver` where a list of names has other words: `web at 18:00`. A name alone may be any word. Pure. */
export function refuseLinks(words: readonly string[]): void {
  const at = firstLink(words);
  if (at >= 0 && words.length > 1) throw leftOver(words.slice(at));
}
