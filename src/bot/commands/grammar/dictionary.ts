import type { Command } from "../command.ts";
import { commands } from "../verbs.ts";
import { kindNamed } from "./argument-types.ts";
import { isNoName } from "./manners.ts";

/** Which words mean the same: those of the verbs with their forms, and those that several verbs share. */

/** Words that mean the same wherever they are. Synonyms of a verb are in its `near`. */
const synonyms: Readonly<Record<string, string>> = {
  up: "up",
  down: "down",
  back: "back",
  who: "who",
  is: "are was were be been being am do does did has have had got",
  what: "whats which",
  how: "hows",
  any: "anything anyone something anybody somebody someone some",
  all: "everything everyone",
  it: "this that these those",
  you: "gantry bot",
  show: "list see view display read check describe info inspect",
  why: "diagnose debug explain troubleshoot",
  get: "send sending fetch",
  good: "green ok okay fine alright alive working well reachable available online ready recovered",
  bad: "broken failing failed fail fails crashing crashed crash crashes unhealthy wrong red dead stuck slow broke died dies dying hangs hanging breaks",
  finished: "done finish finishes complete completed completes succeed succeeded ended ends over passed",
  happened: "happen happens happening",
  changed: "touch touched requested",
  set: "change increase raise bump reduce lower decrease",
  need: "needs require requires want wants",
  quit: "end",
  previous: "earlier old",
  pending: "waiting waits open awaits",
  follow: "following stream streaming",
  KINDS: "services jobs workloads apps ones things deployments statefulsets daemonsets cronjobs",
  STATUS: "stopped suspended restarting healthy",
};

/** The same for things. A workload can be named like one. */
const nouns: Readonly<Record<string, string>> = {
  logs: "log logging lines output say saying print write",
  errors: "error exception exceptions",
  history: "changes events activity audit",
  versions: "revisions releases deploys deployments rollouts",
  version: "image tag",
  instances: "size instance replica replicas copies copy pod pods container containers",
  memory: "mem ram",
  domains: "domain url address",
  env: "environment variables vars",
  status: "state health details",
  troubles: "problem problems issue issues trouble outage outages incident incidents failure failures",
  alerts: "alert alarms notifications messages",
  approval: "approvals review",
  request: "requests",
  regions: "region",
};

/** Expressions of several words. */
const expressions: readonly (readonly [RegExp, string])[] = [
  [/\b(what|how|who|where|when|it|that|there|everything|anything)'s\b/gu, "$1 is"],
  [/'s?(?= |$)/gu, ""],
  [/\b(?:can't|cannot)\b/gu, "can not"],
  [/n't\b/gu, " not"],
  [
    /^(?:tell (?:me|us)|let (?:me|us) know|check|see) (?:if|whether) (?=.* (?:ok|okay|fine|healthy|good|alright)$)/u,
    "is ",
  ],
  [
    /^(?:(?:tell|notify|alert|ping|warn|message)(?: me| us| (?:this|the) channel)?|let (?:me|us) know) (?:when|if|whenever|once|as soon as) /u,
    "whenever ",
  ],
  [/^(?:show|tell|explain)(?: me| us)? (?=(?:what|which|who|when|where|why|how)\b)/u, ""],
  [/\ban? (?=(?:instance|replica|copy|pod)\b)/gu, "1 "],
  [/\btell (?:me|us) about\b/gu, "show"],
  [/\bhow (?:many|much)\b/gu, "what"],
  [/\broll back\b/gu, "rollback"],
  [/\brolled back\b/gu, "rolledback"],
  [/\bnot (?:running|working|ok|okay|healthy|ready|up|good|fine|responding)\b|\bon fire\b|\bin trouble\b/gu, "bad"],
  [/\bkeep an eye on\b/gu, "watch"],
  [/\b(logs?|output|lines) (?:of|from) (?:the )?(?:last|previous) run of\b/gu, "previous $1 of"],
  [/\b(?:last|latest|newest|next|previous) runs? of\b/gu, "status"],
  [/\bmy (?:approvals?|ok|okay|review)\b/gu, "mine"],
  [/\b(waiting|waits|pending|open|anything) for me\b/gu, "$1 mine"],
  [/\bget rid of\b/gu, "delete"],
  [/^(?:the )?[a-z]+ history (?=of |for )/u, "history "],
  [/\bha(?:ve|s) to\b/gu, "must"],
  [/\blatest version\b/gu, "version"],
  [/\b(?:go|goes|went|gone) through\b/gu, "finished"],
  [/\bwhat (?:did|has) [a-z]+ (?:do|done|changed?)\b/gu, "who did what"],
  [/\b(memory|mem|ram) usage\b/gu, "$1"],
  [/\b(\d{1,5}) (mib|mi|mb|gib|gi|gb)\b/gu, "$1$2"],
  [/\b(\d{1,5}) ?(m|g)(?:igs?|egs?|igabytes?|egabytes?)\b/gu, "$1$2b"],
  [/\bback (?:one|1|a) version\b/gu, "back previous version"],
  [/\buptime\b/gu, "status"],
  // The value of a variable may be a secret: the form asks for it.
  [/^(?:set|change) [a-z0-9]+(?:_[a-z0-9]+)+ (?:to \S+ )?(?:on|of|for|in) (\S+)(?: to \S+)?$/u, "env $1"],
  [/^unset \S+ (?:on|from|of|for|in) /u, "env "],
];

/** What people say was done, as `history --verb` names it. A rollback deploys as well. "Stopped" is also a status. */
export function recordedAs(verb: string): readonly string[] {
  const verbs: Readonly<Record<string, string>> = { deploy: "deploy,rollback", stopped: "stop" };
  return [verbs[verb] ?? verb];
}

const irregular: Readonly<Record<string, string>> = { rollback: "rolledback", run: "ran", undo: "undone" };

/** "restarted", "stopped", "scaled", and then "restarting", "stopping", "scaling". */
function formsOf(verb: string): { readonly past: string; readonly progressive: string } {
  const isDoubled = /^[^aeiou]*[aeiou][mnpt]$/u.test(verb);
  const stem = isDoubled ? `${verb}${verb.at(-1) ?? ""}` : verb.replace(/e$/u, "");
  return { past: irregular[verb] ?? `${stem}ed`, progressive: `${stem}ing` };
}

export type Meaning = {
  /** The one word for all its synonyms, or the slot of a value. */
  readonly is: string;
  /** The slot of all such words, if phrases may be about any of them: `restart` is a VERB, `restarted` is DONE. */
  readonly any?: string;
  readonly values?: readonly string[];
  readonly isNoun?: boolean;
};

/** A word that no phrase has. */
export const UNKNOWN = "?";

/** The names of a verb and the words near it in meaning, with their forms; a word of two verbs is left out. */
function verbMeanings({ name, effect, aliases = [], near = [] }: Command): readonly (readonly [string, Meaning])[] {
  const isRecorded = effect !== "read" && effect !== "status" && effect !== "decide";
  return [name, ...aliases, ...near]
    .filter((word) => /^[a-z][a-z-]+$/u.test(word))
    .flatMap((word): readonly (readonly [string, Meaning])[] => {
      if (effect === "read" || effect === "status") return [[word, { is: name, values: [name], isNoun: true }]];
      const verb: Meaning = { is: name, any: "VERB", values: [name] };
      const { past, progressive } = formsOf(word);
      const done: Meaning = { is: `${name}+`, any: "DONE", values: isRecorded ? recordedAs(name) : [] };
      return [
        [word, verb],
        [progressive, verb],
        [past, done],
      ];
    });
}

function dictionaryOf(all: readonly Command[]): Map<string, Meaning> {
  const known = new Map<string, Meaning>();
  for (const [word, meaning] of all.flatMap(verbMeanings)) {
    known.set(word, (known.get(word)?.is ?? meaning.is) === meaning.is ? meaning : { is: UNKNOWN });
  }
  // A verb's own name goes before words that are only near another verb.
  for (const command of all) {
    const own = verbMeanings({ ...command, near: [] });
    for (const [word, meaning] of own) known.set(word, meaning);
  }
  for (const [is, words] of Object.entries({ ...synonyms, ...nouns })) {
    for (const word of [is, ...words.split(" ")]) {
      const same = known.get(word)?.is === is ? known.get(word) : undefined;
      const meaning = same ?? { is, values: is === "KINDS" ? kindsNamed(word) : [word] };
      known.set(word, { ...meaning, isNoun: is in nouns });
    }
  }
  known.set("running", { is: "running", any: "STATUS", values: ["running"] });
  return known;
}

function kindsNamed(word: string): readonly string[] {
  const kind = kindNamed(word)?.kind ?? (/^(?:deploy|stateful|daemon)/u.test(word) ? "service" : undefined);
  return kind === undefined ? [] : [`${kind}s`];
}

export const dictionary: Map<string, Meaning> = dictionaryOf(commands);

/** Whether a workload may well have this name although it means something else in most sentences: "queue". */
export function isNoun(word: string): boolean {
  return dictionary.get(word)?.isNoun === true && !isNoName(word);
}

/** Looks up a word of a phrase, and adds one that is new. From then on, sentences no longer have it as a name. */
export function phraseWord(word: string): string {
  const known = dictionary.get(word);
  if (known !== undefined && known.is !== UNKNOWN) return known.is;
  dictionary.set(word, { is: word });
  return word;
}

/** The sentence, which is plain, with one word for each expression of several. */
export function withExpressions(sentence: string): string {
  return expressions.reduce((text, [several, one]) => text.replace(several, one), sentence);
}
