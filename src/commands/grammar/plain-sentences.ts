/**
 * Sentences that people write to a colleague, and the words of the command they mean. Each pattern covers the whole
 * sentence: one with anything else in it, such as "tomorrow" or "not", means something that we don't know. Pure.
 */

const KIND = "(?:service|svc|job|workload|app)";
/** A name, with its kind before or after it: "the web service". */
const NAME = `(?:(?:the|our|my) )?(?:(?<kind>${KIND}) )?(?<name>(?:(?:service|svc|job)/)?[a-z][a-z0-9-]*(?:\\.[a-z0-9-]+)*)(?: (?<kindAfter>${KIND}))?`;
const COUNT = "(?<count>\\d{1,4}|a|an|one|two|three|four|five|six|seven|eight|nine|ten)";
const SHOW = "(?:(?:show|get|give|send|fetch|read|tail)(?: me| us)? )?(?:the )?";
const COPIES = "(?:instances?|replicas?|copies)";
const WRONG = "(?:wrong|up|going on|happening|the (?:problem|matter|issue))";
const STATE =
  "(?:up|down|ok|okay|running|healthy|unhealthy|alive|working|failing|broken|fine|dead|stopped|ready|doing)";
const DID = "(?:approved|requested|restarted|stopped|started|scaled|deleted|created|changed|touched|broke)";

type Found = Readonly<Record<string, string | undefined>>;
type Pattern = readonly [pattern: string, words: (found: Found) => readonly string[]];

const patterns: readonly Pattern[] = [
  [`why (?:is|does|did|do|has|was|are|isn't|doesn't|won't) ${NAME}(?: (?!.*\\b(?:and|or)\\b)[a-z' ]{1,60})?`, why],
  [`(?:what's|whats|what is|what was) ${WRONG} with ${NAME}`, why],
  [`what happened (?:to|with) ${NAME}`, why],
  [`(?:how is|how's|hows|how are) ${NAME}(?: (?:doing|going|looking))?`, show],
  [`is ${NAME} (?:still )?${STATE}(?: or ${STATE})?`, show],
  [`(?:what's|what is|show me|give me|tell me|get) (?:the )?(?:status|state|health) (?:of|for) ${NAME}`, show],
  [`(?:show me|show|tell me about|check(?: on)?|look at) ${NAME}`, show],
  [`are you (?:still )?${STATE}|(?:is )?everything (?:ok|okay|fine)`, () => ["status"]],
  [`how many ${COPIES} does ${NAME} have`, show],
  [
    `${SHOW}(?:(?:last|latest|newest|recent) )?(?:${COUNT} )?(?:logs?|log lines|lines|output) (?:of|for|from) ${NAME}`,
    logs,
  ],
  [`${SHOW}${NAME}(?:'s)? logs?`, logs],
  [`${SHOW}errors (?:of|in|for|from) ${NAME}`, (found) => ["logs", nameIn(found), "--grep", "error"]],
  [`(?:what's|whats|what is|what are) (?:currently )?(?:running|up|deployed|there|down|failing|broken|stopped)`, list],
  [`what do we have|what (?:services|jobs|workloads) (?:are there|are running|do we have)`, list],
  [`(?:show|list|get)(?: me| us)? (?:all )?(?:the |our )?(?:services|jobs|workloads|everything)`, list],
  [`(?:what's|whats|what is) (?:waiting|pending)(?: for (?:approval|me|us))?`, () => ["pending"]],
  [`who ${DID} ${NAME}`, (found) => ["history", nameIn(found)]],
  [`what (?:has )?changed (?:in|on|with|about) ${NAME}`, (found) => ["history", nameIn(found)]],
  [`who am i`, () => ["whoami"]],
  [`(?:restart|reboot|bounce|reload) ${NAME}`, power("restart")],
  [`(?:stop|shut down|shutdown|turn off|halt) ${NAME}`, power("stop")],
  [`(?:start|turn on|bring up|start up) ${NAME}`, power("start")],
  [`(?:delete|remove|destroy) ${NAME}`, power("delete")],
  [`(?:scale|resize|set)(?: up| down)? ${NAME}(?: up| down)? to ${COUNT}(?: ${COPIES})?`, scale("")],
  [`scale (?:up ${NAME}|${NAME.replaceAll("(?<", "(?<up_")} up) by ${COUNT}(?: ${COPIES})?`, scale("+")],
  [`scale (?:down ${NAME}|${NAME.replaceAll("(?<", "(?<up_")} down) by ${COUNT}(?: ${COPIES})?`, scale("-")],
  [`add ${COUNT} (?:more )?${COPIES} to ${NAME}`, scale("+")],
  [`remove ${COUNT} ${COPIES} (?:from|of) ${NAME}`, scale("-")],
  [
    `set (?:the )?memory (?:of|for) ${NAME} to (?<mib>\\d{1,5}) ?(?:mib|mb|m)?`,
    (found) => ["memory", nameIn(found), found["mib"] ?? ""],
  ],
  [
    `(?<verb>approve|reject|cancel) (?:the )?(?:request )?#?(?<id>[a-z0-9]{6})`,
    ({ verb = "", id = "" }) => [verb, id.toUpperCase()],
  ],
];

const compiled = patterns.map(([pattern, words]) => ({ pattern: new RegExp(`^(?:${pattern})$`, "u"), words }));

/** The words of the command that a sentence means; undefined for one that matches nothing. Pure. */
export function wordsOfSentence(sentence: string): readonly string[] | undefined {
  const bare = withoutManners(sentence);
  for (const { pattern, words } of compiled) {
    const found = pattern.exec(bare)?.groups;
    if (found === undefined && !pattern.test(bare)) continue;
    const command = words(found ?? {});
    if (command.slice(1).every((word) => isSomeName(word))) return command;
  }
  return undefined;
}

const greeting =
  /^(?:(?:hi|hello|hey|hiya|yo|howdy|good (?:morning|afternoon|evening|day)|thanks|thank you|thank u|thx|ty|cheers|great|ok|okay|cool|nice|ping|help me|what can (?:you|i) do|who are you|how does this work)(?: there| gantry| all| everyone| so much| very much| a lot| here)*(?: |$))+$/u;

/** Small talk, and questions about what there is to do. Pure. */
export function isGreeting(sentence: string): boolean {
  return greeting.test(plain(sentence));
}

const negations = new Set(
  "not never no nope nah none nobody nothing neither nor without except unless avoid cannot instead rather cant dont doesnt didnt wont wouldnt shouldnt couldnt mustnt neednt isnt arent ain't".split(
    " ",
  ),
);

/** A word that may turn a command into its opposite. Nothing is changed because of such a sentence. Pure. */
export function isNegated(words: readonly string[]): boolean {
  const all = words.flatMap((word) => plain(word).split(" "));
  return all.some((word) => negations.has(word) || /n['`´]t$/u.test(word));
}

/** Words that a sentence has in the place of a name: "restart it and stop the other one" names nothing. */
const pronouns = new Set(
  "a an the it its this that these those them they he she i we you me us my your our everything everybody anything something any some one both each other again please kindly now then later today tomorrow soon and or but if when while until after before because so to of for from with on in at by as is are was be been do does did can could would will should may might what why how who where which there here up down off running failing broken wrong sure just only also too very restart restarting restarted stop stopping stopped start starting started delete deleting deleted scale scaling create creating".split(
    " ",
  ),
);
const nouns = new Set(
  "all service services job jobs workload workloads app apps logs log lines status approval".split(" "),
);

/** Whether a word can hardly be a name. Pure. */
export function isNoName(word: string): boolean {
  return pronouns.has(word.toLowerCase().replace(/[.,;:!?]+$/u, ""));
}

function isSomeName(word: string): boolean {
  const name = word.replace(/^.*\//u, "");
  return !isNoName(name) && !nouns.has(name);
}

/** In lower case, with straight apostrophes, without emoji and punctuation. */
function plain(sentence: string): string {
  return sentence
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'")
    .replaceAll(/:[a-z0-9_+-]+:/gu, " ")
    .replaceAll(/[.,;:!?…]+(?=\s|$)/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

const before =
  /^(?:hey|hi|hello|ok|okay|so|well|please|pls|plz|kindly|just|gantry|(?:can|could|would|will) (?:you|we|i)|(?:i|we)(?:'d| would) like(?: you)? to|(?:i|we) (?:want|need)(?: you)? to|let's|go ahead and) /u;
const after = / (?:please|pls|plz|thanks|thank you|thx|for me|for us|now|right now|asap|again|today|currently)$/u;

/** Without the polite words at both ends. */
function withoutManners(sentence: string): string {
  let bare = plain(sentence);
  for (;;) {
    const shorter = bare.replace(before, "").replace(after, "");
    if (shorter === bare) return bare;
    bare = shorter;
  }
}

function nameIn(found: Found): string {
  const name = found["name"] ?? found["up_name"] ?? "";
  const kind = found["kind"] ?? found["kindAfter"] ?? found["up_kind"] ?? found["up_kindAfter"];
  if (name.includes("/") || kind === undefined) return name;
  if (kind === "job") return `job/${name}`;
  return kind === "service" || kind === "svc" ? `service/${name}` : name;
}

function why(found: Found): readonly string[] {
  return ["why", nameIn(found)];
}

function show(found: Found): readonly string[] {
  return ["show", nameIn(found)];
}

function logs(found: Found): readonly string[] {
  const { count } = found;
  return ["logs", nameIn(found), ...(count === undefined ? [] : ["--size", numberOf(count)])];
}

function list(): readonly string[] {
  return ["list"];
}

function power(verb: string): Pattern[1] {
  return (found) => [verb, nameIn(found)];
}

function scale(sign: string): Pattern[1] {
  return (found) => ["scale", nameIn(found), `${sign}${numberOf(found["count"] ?? "")}`];
}

const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function numberOf(count: string): string {
  if (/^\d/u.test(count)) return String(Number(count));
  return String(Math.max(0, numbers.indexOf(count)) + 1);
}
