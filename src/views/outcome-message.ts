import type { Change, WriteOperationId } from "../changes/change.ts";
import type { Outcome } from "../changes/outcome.ts";
import { bullets, section } from "./blocks.ts";
import { person, strong, words, type Inline } from "./inline.ts";
import type { Block, Message } from "./message.ts";
import { post } from "./post.ts";
import { visible } from "./text.ts";

export type OutcomeMessage = {
  readonly change: Change;
  readonly outcome: Outcome;
  readonly command: string;
  /** Who asked, by Slack id. */
  readonly by: string;
  /** The region that needs not be typed; without it the hints name none. */
  readonly defaultRegion?: string;
};

/** An operation as a deed: done, asked for, failed, in doubt. */
const deeds: Readonly<Record<WriteOperationId, readonly [past: string, infinitive: string, participle: string]>> = {
  createJob: ["Created", "create", "created"],
  deleteJob: ["Deleted", "delete", "deleted"],
  createService: ["Created", "create", "created"],
  deleteService: ["Deleted", "delete", "deleted"],
  updateService: ["Changed", "change", "changed"],
  startService: ["Started", "start", "started"],
  stopService: ["Stopped", "stop", "stopped"],
  restartService: ["Restarted", "restart", "restarted"],
};

const LISTED = 8;

/** How a write ended: "asked" and "took effect" are different sentences, and so is "cannot tell". */
export function outcomeMessage(input: OutcomeMessage): Message {
  const { change, outcome, by } = input;
  const sentence = title(input);
  const spoken = sentence.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
  const diff = isAlreadySo(input) ? [] : change.diff;
  return post([spoken, ...diff].join("\n"), [
    section(sentence),
    ...(outcome.kind === "done" || diff.length === 0 ? [] : [section("Asked for:")]),
    ...list(diff),
    ...(outcome.kind === "done" ? moved(outcome.alsoMoved) : [section(outcome.why)]),
    ...after(input),
    ...(by === "" ? [] : [section([words("By "), person(by)])]),
  ]);
}

function isAlreadySo({ change, outcome }: OutcomeMessage): boolean {
  return outcome.kind === "done" && change.diff.length === 0;
}

function title(input: OutcomeMessage): Inline[] {
  const [past, infinitive, participle] = deeds[input.change.call.op];
  const { kind, name } = input.change.workload;
  const named = [strong(name, 255)];
  const what = [words(`${kind} `), ...named];
  if (isAlreadySo(input))
    return [words("✅ It is already so: "), ...what, words(" was left as it is, nothing was sent.")];
  switch (input.outcome.kind) {
    case "done":
      return [words(`✅ ${past} `), ...what, words(".")];
    case "asked":
      return [words(`⏳ Asked the service to ${infinitive} `), ...what, words("; it accepted.")];
    case "failed":
      return [words(`❌ ${kind === "job" ? "Job" : "Service"} `), ...named, words(` was not ${participle}.`)];
    case "unknown":
      return [words("❓ Cannot tell whether "), ...what, words(` was ${participle}.`)];
  }
}

function list(diff: readonly string[]): Block[] {
  const [first, ...rest] = diff.slice(0, LISTED).map((each) => [words(each, 200)]);
  if (first === undefined) return [];
  const more = diff.length > LISTED ? [[words(`and ${diff.length - LISTED} more`)]] : [];
  return [bullets([first, ...rest, ...more])];
}

function moved(alsoMoved: readonly string[]): Block[] {
  return alsoMoved.length === 0 ? [] : [section("Something else moved meanwhile:"), ...list(alsoMoved)];
}

/** What to do next: how to look at it, or how to mend it. */
function after({ change, outcome, command, defaultRegion }: OutcomeMessage): Block[] {
  const { kind, region } = change.workload;
  const name = `${kind}/${visible(change.workload.name)}`;
  const needsRegion = kind === "service" && defaultRegion !== undefined && region !== defaultRegion;
  const at = needsRegion ? ` --region ${region}` : "";
  const show = `\`${command} show ${name}${at}\``;
  if (outcome.kind === "failed") return [section(outcome.next)];
  if (outcome.kind === "unknown") return [section(outcome.next), section(`Look with ${show}`)];
  if (change.call.op === "createService" || change.call.op === "createJob") {
    return [section(`Look at it with ${show} and read its log with \`${command} logs ${name}${at}\``)];
  }
  return outcome.kind === "asked" ? [section(`See whether it took effect with ${show}`)] : [];
}
