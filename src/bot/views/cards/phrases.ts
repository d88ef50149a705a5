import type { Risk, WriteOperationId } from "../../policy/operation-facts.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { shortImage } from "../../../api/image.ts";
import { counted, truncate, visible, truncateMiddle } from "../kit/text.ts";

/** `{}` is the workload, `{to}` the requested value, with its preposition, where the diff tells it. */
type Phrase = {
  /** In a question, and after "Rejected:". */
  readonly title: string;
  readonly running: string;
  readonly done: string;
  readonly failed: string;
  /** After "whether". */
  readonly unsure: string;
  /** Sent, and the API doesn't report what it came to. */
  readonly accepted: string;
};

/** What is said of a request besides: how it can hurt, by its risk. */
type Words = Phrase & {
  readonly harm?: Readonly<Partial<Record<Risk, string>>>;
  /** What was done to some of several, where `done` doesn't end with it. */
  readonly past?: string;
};

const usualHarm: Readonly<Partial<Record<Risk, string>>> = {
  disruptive: "may interrupt requests",
  destructive: "removes something",
};
const unknownImage = { disruptive: "runs an image that may be new here" };
const permanent = { routine: "can't be undone", disruptive: "can't be undone", destructive: "can't be undone" };

const byOperation: Readonly<Record<WriteOperationId, Words>> = {
  createService: { ...phrase("Create {}", "Creating {}", "created"), harm: unknownImage },
  createJob: { ...phrase("Create job {}", "Starting {}", "created", "job {}"), harm: unknownImage },
  deleteService: { ...phrase("Delete {}", "Deleting {}", "deleted"), harm: permanent },
  deleteJob: { ...phrase("Delete job {}", "Deleting job {}", "deleted", "job {}"), harm: permanent },
  updateService: phrase("Change {}", "Changing {}", "changed"),
  startService: phrase("Start {}", "Starting {}", "started"),
  stopService: {
    ...phrase("Stop {}", "Stopping {}", "stopped"),
    harm: { disruptive: "takes it offline", destructive: "takes it offline" },
  },
  restartService: {
    ...phrase("Restart {}", "Restarting {}", "restarted"),
    harm: { disruptive: "causes a short interruption", destructive: "causes a short interruption" },
  },
};

/** Verbs that share an operation. */
const byVerb: Readonly<Record<string, Words>> = {
  scale: {
    title: "Scale {}{to}",
    running: "Scaling {}{to}",
    done: "{} scaled{to}",
    failed: "{} wasn't scaled",
    unsure: "{} was scaled",
    accepted: "Scaling of {}{to} accepted",
    harm: { destructive: "takes it offline" },
  },
  memory: {
    title: "Set memory of {}{to}",
    running: "Setting memory of {}{to}",
    done: "{} memory set{to}",
    failed: "{} memory wasn't changed",
    unsure: "{} memory was changed",
    accepted: "Memory change of {}{to} accepted",
    harm: { disruptive: "can restart every instance", destructive: "can restart every instance" },
  },
  deploy: {
    title: "Deploy{to} to {}",
    running: "Deploying{to} to {}",
    done: "Deployed{to} to {}",
    failed: "The image of {} wasn't changed",
    unsure: "the image of {} was changed",
    accepted: "Deployment{to} to {} accepted",
    past: "deployed",
    harm: { disruptive: "replaces every instance", destructive: "replaces every instance" },
  },
  env: {
    title: "Change environment variables of {}",
    running: "Changing environment variables of {}",
    done: "{} environment variables changed",
    failed: "{} environment variables weren't changed",
    unsure: "environment variables of {} were changed",
    accepted: "Change of environment variables of {} accepted",
    harm: { disruptive: "replaces every instance", destructive: "replaces every instance" },
  },
  rollback: {
    title: "Roll back {}{to}",
    running: "Rolling back {}{to}",
    done: "{} rolled back{to}",
    failed: "{} wasn't rolled back",
    unsure: "{} was rolled back",
    accepted: "Rollback of {}{to} accepted",
    harm: { disruptive: "replaces every instance", destructive: "replaces every instance" },
  },
  domains: {
    title: "Change domains of {}",
    running: "Changing domains of {}",
    done: "{} domains changed",
    failed: "{} domains weren't changed",
    unsure: "{} domains were changed",
    accepted: "Domain change of {} accepted",
    harm: { destructive: "removed domains stop working" },
  },
};

/** Whether instances are replaced by those of another version, one after the other. */
export function isRolledOut({ verb = "" }: Pick<Phrased, "verb">): boolean {
  return verb === "deploy" || verb === "rollback" || verb === "env";
}

function phrase(...[title, running, past, what = "{}"]: [string, string, string, string?]): Phrase {
  return {
    title,
    running,
    done: `${what} ${past}`,
    failed: `${what} wasn't ${past}`,
    unsure: `${what} was ${past}`,
    accepted: `${title.replace("{}", "of {}")} accepted`,
  };
}

/** The parts of a request that its phrases depend on. */
export type Phrased = Pick<StoredChange, "op" | "workload" | "diff"> & {
  readonly verb?: string;
  /** The workloads of a request for several. */
  readonly parts?: readonly (Pick<StoredChange, "workload"> & { readonly diff?: readonly string[] })[] | undefined;
};

function wordsOf({ op, verb = "" }: Pick<Phrased, "op" | "verb">): Words {
  const own = Object.hasOwn(byVerb, verb) && op === "updateService" ? byVerb[verb] : undefined;
  return own ?? byOperation[op];
}

/** How a request can hurt; undefined for a routine one. Only a deletion can't be undone. */
export function effectWords({
  risk,
  ...request
}: Pick<Phrased, "op" | "verb"> & { readonly risk: Risk }): string | undefined {
  return wordsOf(request).harm?.[risk] ?? usualHarm[risk];
}

/** Which images a deploy or the way back replaces: `shop/web:1.4` by `1.5`. Undefined of several images or none. */
export function versionStep(
  diff: readonly string[],
): { readonly before: string; readonly from: string; readonly to: string } | undefined {
  const [value = "", ...others] = diff.filter((line) => line.includes(" → "));
  const [, before, after] = /^image\b.* (\S+) → (\S+)$/u.exec(value) ?? [];
  if (before === undefined || after === undefined || others.length > 0) return undefined;
  const short = (one: string, other: string): string => truncateMiddle(visible(shortImage(one, other)), 80);
  return { before: visible(before), from: short(before, after), to: short(after, before) };
}

/** " to 5", " to 512 MiB", " 1.5" of a deploy, " to 1.4" of the way back. Of several workloads, what all go to. */
function targetOf({ diff, verb, parts }: Phrased): string {
  if (parts !== undefined) {
    const targets = parts.map((part) => versionStep(part.diff ?? [])?.to);
    const [only, ...rest] = new Set(targets);
    if (only === undefined || rest.length > 0) return "";
    return verb === "rollback" ? ` to ${only}` : ` ${only}`;
  }
  // An undo also says what changed since.
  const [value = "", ...others] = diff.filter((line) => line.includes(" → "));
  if (others.length > 0) return "";
  const [, to] = /^(?:instances|memory)\b.* → (\d{1,9}(?: MiB)?)$/u.exec(value) ?? [];
  if (to !== undefined) return ` to ${to}`;
  const version = versionStep(diff)?.to;
  if (version === undefined) return "";
  return verb === "rollback" ? ` to ${version}` : ` ${version}`;
}

/** Jobs have only one region, and the default region isn't mentioned. */
export function needsRegion({ workload }: Pick<Phrased, "workload">, defaultRegion: string | undefined): boolean {
  return workload.kind === "service" && defaultRegion !== undefined && workload.region !== defaultRegion;
}

/** " in eu1". */
export function regionText(phrased: Phrased, defaultRegion: string | undefined): string {
  return needsRegion(phrased, defaultRegion) ? ` in ${truncate(visible(phrased.workload.region), 60)}` : "";
}

const NAMED_TOGETHER = 3;

/** "web", "web and worker", or "5 workloads". */
export function nameText({ workload, parts = [{ workload }] }: Pick<Phrased, "workload" | "parts">): string {
  return parts.length > NAMED_TOGETHER ? counted(parts.length, "workload") : allNames(parts);
}

/** Every name: whoever decides without the card has to know what it is about. */
export function allNames(parts: readonly Pick<StoredChange, "workload">[]): string {
  const most = parts.length > 1 ? 50 : 255;
  const names = parts.map(({ workload: { name } }) => truncateMiddle(visible(name), most));
  const last = names.pop() ?? "";
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`;
}

/** "restarted" */
export function pastWord(phrased: Phrased): string {
  return wordsOf(phrased).past ?? split(phrased, "done")[1].trim();
}

/** "Scale web to 5", "web scaled to 5": one line of text. */
export function phraseText(phrased: Phrased, form: keyof Phrase, defaultRegion?: string): string {
  const [before, after] = split(phrased, form);
  return `${before}${nameText(phrased)}${regionText(phrased, defaultRegion)}${after}`;
}

/** A phrase, cut where the name belongs. */
export function split(phrased: Phrased, form: keyof Phrase): readonly [before: string, after: string] {
  const [before = "", after = ""] = wordsOf(phrased)[form].replace("{to}", targetOf(phrased)).split("{}");
  return [before, after];
}
