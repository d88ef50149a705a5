import type { WorkloadRef, WriteOperationId } from "../../changes/change.ts";
import type { StoredChange, Who } from "../../changes/stored-change.ts";
import { person, strong, words, type Inline } from "../kit/inline.ts";
import type { Names } from "./spoken.ts";

/** An operation as a deed: done, asked for, failed, in doubt. */
export const actions: Readonly<
  Record<WriteOperationId, readonly [past: string, infinitive: string, participle: string]>
> = {
  createJob: ["Created", "create", "created"],
  deleteJob: ["Deleted", "delete", "deleted"],
  createService: ["Created", "create", "created"],
  deleteService: ["Deleted", "delete", "deleted"],
  updateService: ["Changed", "change", "changed"],
  startService: ["Started", "start", "started"],
  stopService: ["Stopped", "stop", "stopped"],
  restartService: ["Restarted", "restart", "restarted"],
};

/** What the verbs that share an operation do to a workload. */
const infinitives: Readonly<Record<string, string>> = {
  scale: "scale",
  memory: "change the memory of",
  domains: "change the domains of",
};

type Named = { readonly workload: WorkloadRef; readonly defaultRegion?: string | undefined };

/** Whether a region has to be said: jobs have one place only, and the default one goes without saying. */
export function needsRegion({ workload, defaultRegion }: Named): boolean {
  return workload.kind === "service" && defaultRegion !== undefined && workload.region !== defaultRegion;
}

/** "service web", and in which region where that is not the default. */
export function workloadWords(named: Named): Inline[] {
  const { kind, name, region } = named.workload;
  return [words(`${kind} `), strong(name, 255), ...(needsRegion(named) ? [words(` in region ${region}`, 100)] : [])];
}

/** "scale service web": what a Change does, as one asks for it. */
export function deedWords(
  change: Pick<StoredChange, "verb" | "op" | "workload">,
  defaultRegion?: string,
): readonly Inline[] {
  const known = Object.hasOwn(infinitives, change.verb) ? infinitives[change.verb] : undefined;
  const infinitive = known ?? actions[change.op][1];
  return [words(`${infinitive} `), ...workloadWords({ workload: change.workload, defaultRegion })];
}

/** A person as Slack draws them; one whose id is none, by the name they had. */
export function whoWords({ userId, name }: Who): Inline {
  const drawn = person(userId);
  return drawn.type === "user" ? drawn : words(name, 80);
}

/** The names of everybody a Change knows by name, and those that are given. */
export function namesIn({ requester, votes, ending }: StoredChange, names: Names = {}): Names {
  const by = ending?.kind === "rejected" || ending?.kind === "cancelled" ? [ending.by] : [];
  return { ...names, ...Object.fromEntries([requester, ...votes, ...by].map(({ userId, name }) => [userId, name])) };
}

/** What people wrote in several lines, in one. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/gu, " ");
}
