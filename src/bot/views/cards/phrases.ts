import type { Risk } from "../../policy/operation-facts.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { shortDigests, shortImage } from "../../../api/image.ts";
import { AT_REST } from "../../../api/workload-status.ts";
import { counted, truncate, visible, truncateMiddle } from "../kit/text.ts";
import { changesOf, type Phrase, verbWords, wordsOf } from "../kit/verb-words.ts";

/** The parts of a request that its phrases depend on. */
export type Phrased = Pick<StoredChange, "op" | "workload" | "diff"> & {
  readonly verb?: string;
  /** The workloads of a request for several. */
  readonly parts?: readonly (Pick<StoredChange, "workload"> & { readonly diff?: readonly string[] })[] | undefined;
};

/** How a request can hurt; undefined for a routine one, and where nothing runs. Only a deletion can't be undone. */
export function effectWords({
  risk,
  ...request
}: Omit<Phrased, "workload"> & { readonly risk: Risk }): string | undefined {
  const isAtRest = (request.parts ?? [request]).every(({ diff = [] }) => diff.includes(AT_REST));
  return isAtRest ? undefined : wordsOf(request).harm[risk];
}

/** Which images a deploy or the way back replaces: `:1.4` by `:1.5`. Undefined of several images or none. */
export function versionStep(
  diff: readonly string[],
): { readonly before: string; readonly from: string; readonly to: string } | undefined {
  const [value = "", ...others] = stepsOf(diff);
  const [, before, after] = /^image\b.* (\S+) → (\S+)$/u.exec(value) ?? [];
  if (before === undefined || after === undefined || others.length > 0) return undefined;
  const short = (one: string, other: string): string => truncateMiddle(visible(shortImage(one, other)), 80);
  return { before: visible(before), from: short(before, after), to: short(after, before) };
}

/** The version that a request leads to: `:1.4`, or "version 3". */
export function versionName(diff: readonly string[]): string | undefined {
  // Requests of older versions of Gantry have "revision".
  const [number] = diff.flatMap((line) => /^(?:back )?to (?:version|revision) (\d+)(?!.* if )/u.exec(line)?.[1] ?? []);
  return versionStep(diff)?.to ?? (number === undefined ? undefined : `version ${number}`);
}

/** " to 5", " to 512 MiB", " :1.5" of a deploy, " to :1.4" of the way back. Of several workloads, what all go to. */
function targetOf({ diff, verb, parts }: Phrased): string {
  if (parts !== undefined) {
    const targets = parts.map((part) => versionStep(part.diff ?? [])?.to);
    const [only, ...rest] = new Set(targets);
    if (only === undefined || rest.length > 0) return "";
    return `${toVersion(verb)}${only}`;
  }
  // An undo also says what changed since.
  const [value = "", ...others] = stepsOf(diff);
  if (others.length > 0) return "";
  const [, to] = /^(?:instances|memory)\b.* → (\d{1,9}(?: MiB)?)$/u.exec(value) ?? [];
  if (to !== undefined) return ` to ${to}`;
  const version = versionName(diff);
  if (version === undefined) return "";
  return `${toVersion(verb)}${version}`;
}

/** What a request replaces: "2", "512 MiB" or `:1.4`. Undefined of several values, and of none. */
export function valueBefore(diff: readonly string[]): string | undefined {
  const [value = "", ...others] = stepsOf(diff);
  const [, from, unit = ""] = /^(?:instances|memory) (\d{1,9}) → \d{1,9}( MiB)?$/u.exec(value) ?? [];
  return from === undefined || others.length > 0 ? versionStep(diff)?.from : `${from}${unit}`;
}

/** ": adds LEVEL, removes PORT" of an update whose title doesn't say to what it leads. */
export function detailText(phrased: Phrased): string {
  if (phrased.op !== "updateService" || targetOf(phrased) !== "") return "";
  const lines = changesOf(phrased.diff).map((line) => visible(shortDigests(line)));
  const more = lines.length > DETAILS ? [`${lines.length - DETAILS} more`] : [];
  return lines.length === 0 ? "" : `: ${[...lines.slice(0, DETAILS), ...more].join(", ")}`;
}

const DETAILS = 2;

function stepsOf(diff: readonly string[]): readonly string[] {
  return changesOf(diff).filter((line) => line.includes(" → "));
}

function toVersion(verb = ""): string {
  return verbWords(verb)?.toVersion ?? " ";
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
  const phrase = againDeployed(phrased, form) ?? wordsOf(phrased)[form].replace("{to}", () => targetOf(phrased));
  const [before = "", after = ""] = phrase.split("{}");
  return [before, after];
}

/**
 * A rollback that is a deploy says so, until it is done: "Deploy :1.5, which never got ready, to web". Undefined of any
 * other.
 */
function againDeployed(phrased: Phrased, form: keyof Phrase): string | undefined {
  if (phrased.verb !== "rollback") return undefined;
  const pattern = /^to (?:version|revision) (\d+), (which .*), with its environment variables$/u;
  const [, number, which] = pattern.exec(phrased.diff.find((line) => pattern.test(line)) ?? "") ?? [];
  if (number === undefined || which === undefined) return undefined;
  const target = versionStep(phrased.diff)?.to ?? `version ${number}`;
  const why = form === "done" || form === "did" || form === "accepted" ? "" : `, ${truncate(visible(which), 80)},`;
  return wordsOf({ op: phrased.op, verb: "deploy" })[form].replace("{to}", () => ` ${target}${why}`);
}
