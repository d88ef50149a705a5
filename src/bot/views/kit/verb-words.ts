import { AT_REST } from "../../../api/workload-status.ts";
import type { Risk, WriteOperationId } from "../../policy/operation-facts.ts";

/** `{}` is the workload, `{to}` the requested value, with its preposition, where the diff tells it. */
export type Phrase = {
  /** In a question, and after "Rejected:". */
  readonly title: string;
  readonly running: string;
  readonly done: string;
  /** The same with the verb first, for a line of history. */
  readonly did: string;
  readonly failed: string;
  /** After "whether". */
  readonly unsure: string;
  /** Sent, and the API doesn't report what it came to. */
  readonly accepted: string;
};

/** All that cards, lists and history say of what a verb does. */
type VerbWords = Phrase & {
  /** How it can hurt, by its risk. */
  readonly harm: Readonly<Partial<Record<Risk, string>>>;
  /** What was done, in one word, where `done` doesn't end with it. */
  readonly past?: string;
  /** Instances are replaced by those of another version, one after the other. */
  readonly isRolledOut?: true;
  /** Before a version. */
  readonly toVersion?: string;
  /** On the button that takes it back. */
  readonly back?: string;
};

/** Ends a line about what follows only if a rollout goes wrong. */
export const IF_STUCK = "if the new instances don't get ready";

/** Ends a line about why a change needs an approval that its number of instances has. */
export const BIG_STEP = "is a big step: needs approval";

/** What a request changes, without what would have followed and why it had to be approved. */
export function changesOf(diff: readonly string[]): readonly string[] {
  return diff.filter((line) => !line.endsWith(IF_STUCK) && !line.endsWith(BIG_STEP) && line !== AT_REST);
}

/** What going back takes back besides, where a card has no room for all differences. */
export function alsoTaken(diff: readonly string[]): readonly string[] {
  return diff.filter((line) => /^also takes back | since then$/u.test(line));
}

const usualHarm = { disruptive: "may interrupt requests", destructive: "removes something" };
const unknownImage = { ...usualHarm, disruptive: "runs an image that may be new here" };
const permanent = { routine: "can't be undone", disruptive: "can't be undone", destructive: "can't be undone" };
const always = (harm: string) => ({ disruptive: harm, destructive: harm });

const byOperation: Readonly<Record<WriteOperationId, VerbWords>> = {
  createService: { ...spoken("Create", "Creating", "created"), harm: unknownImage },
  createJob: {
    ...spoken("Create", "Creating", "created", "job {}"),
    running: "Starting job {}",
    harm: unknownImage,
  },
  deleteService: { ...spoken("Delete", "Deleting", "deleted"), harm: permanent },
  deleteJob: { ...spoken("Delete", "Deleting", "deleted", "job {}"), harm: permanent },
  updateService: spoken("Change", "Changing", "changed"),
  startService: spoken("Start", "Starting", "started"),
  stopService: { ...spoken("Stop", "Stopping", "stopped"), harm: always("takes it offline") },
  restartService: { ...spoken("Restart", "Restarting", "restarted"), harm: always("causes a short interruption") },
};

/** Verbs that share an operation. */
const byVerb: Readonly<Record<string, VerbWords>> = {
  scale: {
    title: "Scale {}{to}",
    running: "Scaling {}{to}",
    done: "{} scaled{to}",
    did: "Scaled {}{to}",
    failed: "{} wasn't scaled",
    unsure: "{} was scaled",
    accepted: "Scaling of {}{to} accepted",
    harm: { ...usualHarm, destructive: "takes it offline" },
  },
  memory: {
    title: "Set memory of {}{to}",
    running: "Setting memory of {}{to}",
    done: "{} memory set{to}",
    did: "Set memory of {}{to}",
    failed: "{} memory wasn't changed",
    unsure: "{} memory was changed",
    accepted: "Memory change of {}{to} accepted",
    harm: always("can restart every instance"),
  },
  deploy: {
    title: "Deploy{to} to {}",
    running: "Deploying{to} to {}",
    done: "Deployed{to} to {}",
    did: "Deployed{to} to {}",
    failed: "The image of {} wasn't changed",
    unsure: "the image of {} was changed",
    accepted: "Deployment{to} to {} accepted",
    past: "deployed",
    back: "Roll back",
    ...ofVersions(),
  },
  env: {
    title: "Change environment variables of {}",
    running: "Changing environment variables of {}",
    done: "{} environment variables changed",
    did: "Changed environment variables of {}",
    failed: "{} environment variables weren't changed",
    unsure: "environment variables of {} were changed",
    accepted: "Change of environment variables of {} accepted",
    back: "Roll back",
    ...ofVersions(),
  },
  rollback: {
    title: "Roll back {}{to}",
    running: "Rolling back {}{to}",
    done: "{} rolled back{to}",
    did: "Rolled back {}{to}",
    failed: "{} wasn't rolled back",
    unsure: "{} was rolled back",
    accepted: "Rollback of {}{to} accepted",
    toVersion: " to ",
    ...ofVersions(),
  },
  domains: {
    title: "Change domains of {}",
    running: "Changing domains of {}",
    done: "{} domains changed",
    did: "Changed domains of {}",
    failed: "{} domains weren't changed",
    unsure: "{} domains were changed",
    accepted: "Domain change of {} accepted",
    harm: { ...usualHarm, destructive: "removed domains stop working" },
  },
};

/** Undefined for a verb that changes no workload, and one of an older version. */
export function verbWords(verb: string): VerbWords | undefined {
  return own(byVerb, verb) ?? own(byOperation, `${verb}Service`);
}

/** What a verb sends, for a row that only names the verb. */
export function operationOf(verb: string, isJob: boolean): WriteOperationId {
  const operations = Object.keys(byOperation) as WriteOperationId[]; // its keys
  return operations.find((each) => each === `${verb}${isJob ? "Job" : "Service"}`) ?? "updateService";
}

/** Whether instances are replaced by those of another version, one after the other. */
export function isRolledOut({ verb = "" }: { readonly verb?: string }): boolean {
  return verbWords(verb)?.isRolledOut === true;
}

export function wordsOf({ op, verb = "" }: { readonly op: WriteOperationId; readonly verb?: string }): VerbWords {
  return (op === "updateService" ? own(byVerb, verb) : undefined) ?? byOperation[op];
}

function own(table: Readonly<Record<string, VerbWords>>, key: string): VerbWords | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function spoken(ask: string, going: string, past: string, what = "{}"): VerbWords {
  const noun = { Create: "Creation", Delete: "Deletion" }[ask] ?? ask;
  return {
    title: `${ask} ${what}`,
    running: `${going} ${what}`,
    done: `${what} ${past}`,
    did: `${past.charAt(0).toUpperCase()}${past.slice(1)} ${what}`,
    failed: `${what} wasn't ${past}`,
    unsure: `${what} was ${past}`,
    accepted: `${noun} of ${what} accepted`,
    harm: usualHarm,
  };
}

function ofVersions() {
  return { isRolledOut: true, harm: always("replaces every instance") } as const; // literal types
}
