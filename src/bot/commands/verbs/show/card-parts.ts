import type { Button } from "@slack/types";
import type { CardActions, Placed } from "./card-buttons.ts";
import { runningImage } from "../../../../api/image.ts";
import { context, section, type Field, type Line, type Block, listed } from "../../../views/kit/blocks.ts";
import { strong, words, code, firstOf, joined, type Inline } from "../../../views/kit/inline.ts";
import { truncate, visible, counted } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import type { EnvVar, Job, JobContainer, ServiceContainer, Sidecar, Service } from "../../../../api/answers.ts";
import { commandLine, containerMemory, memoryNowText, memoryText } from "../../../views/kit/container-text.ts";
import { failureRate } from "../../../views/kit/log-text.ts";
import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { WorkloadRef } from "../../../changes/change.ts";
import { historyLine } from "../../../views/cards/history-line.ts";
import { beforeRequester, votesText } from "../../../views/kit/request-words.ts";
import { deletedSince, deletionText } from "../../lookup/deletions.ts";
import { type Head, headLines, headText, type LogCheck } from "./verdict.ts";
import { type Message, post } from "../../../views/kit/post.ts";
import type { StoredChange } from "../../../changes/stored-change.ts";

/** What a card says beyond the workload itself. */
export type CardFacts = {
  readonly region: string;
  readonly now: Date;
  /** A card without it has no buttons. */
  readonly actions?: CardActions | undefined;
  /** Its requests that wait for approval; undefined when not checked. */
  readonly waiting?: Waiting | undefined;
  readonly last?: HistoryEvent | undefined;
  /** The median time of the job's runs that Gantry saw, and how many there were. */
  readonly usual?: { readonly ms: number; readonly runs: number } | undefined;
  /** Errors in its log; undefined when not looked at. */
  readonly log?: LogCheck;
  /** Its first line, after the name. */
  readonly verdict?: string | undefined;
  /** The button that it suggests, in place of the one by its status. */
  readonly step?: Button | undefined;
  /** Instead of how its containers are defined. */
  readonly details?: readonly Block[] | undefined;
};

type Carded = {
  readonly head: Head;
  /** The small print below it. */
  readonly about: Block;
  /** How it runs, also for a notification; "" when nothing is known. */
  readonly facts: string;
  readonly lines: readonly Line[];
  /** How its containers are defined. */
  readonly definition: readonly Block[];
  readonly buttons: (placed: Placed) => Block[];
};

/** One screen, the same for services and jobs: how it is, what waits, what changed last, and how it is defined. */
export function card(
  { region, now, actions, waiting, last, step, details }: CardFacts,
  { head, about, facts, lines, definition, buttons }: Carded,
): Message {
  const isWaiting = (waiting?.changes ?? []).length > 0;
  return post([headText(head), ...(facts === "" ? [] : [facts])].join(" · "), [
    headLines(head),
    about,
    ...listed([...(facts === "" ? [] : [[words(facts)]]), ...lines]),
    ...waitingLines(waiting, now),
    ...lastChangeLine(last, now),
    ...(details ?? definition),
    ...(actions === undefined ? [] : buttons({ ...actions, region, step, isWaiting })),
  ]);
}

/** "service · beijing1 · gantry/hello-web · created 3d ago". */
export function headContext(parts: readonly (string | undefined)[], created: string | undefined, now: Date): Block {
  const ago = age(created, now);
  const all = [...parts, ago === undefined ? undefined : `created ${ago} ago`];
  return context(
    all
      .filter((part) => part !== undefined)
      .map((part) => truncate(visible(part), 255))
      .join(" · "),
  );
}

/** What the images of the containers are: the image of one, the number of several. */
export function imageText(containers: readonly Imaged[]): string | undefined {
  const [first, ...others] = containers;
  if (others.length > 0) return `${containers.length} containers`;
  return first?.image === undefined ? undefined : runningImage(first.image, first.image_digest);
}

type Imaged = { readonly image?: string | undefined; readonly image_digest?: string | undefined };

type Container = (ServiceContainer | JobContainer) & Imaged & Pick<JobContainer, "resources">;

const SHOWN = 3;
const ENV_SHOWN = 10;
/** Fewer for each of several containers, so that a card stays one message. */
const ENV_EACH = 3;

/** Shows names only: a value may be a secret, and Slack archives every message. */
function envNames(env: readonly EnvVar[] | undefined, max: number): Inline[] {
  return firstOf(env ?? [], max, ({ name }) => code(name, 40));
}

function commandOf({ command, env }: Container, max: number): Inline[] {
  return command === undefined || command.length === 0 ? [] : [code(commandLine(command, env), max)];
}

/** The image and the memory are in the card's first lines. */
function one(container: Container): Field[] {
  const cpu = container.resources?.limits?.cpu;
  const env = envNames(container.env, ENV_SHOWN);
  return [
    { label: "Command", value: commandOf(container, 250) },
    { label: "CPU", value: cpu === undefined ? [] : [words(cpu, 40)] },
    { label: "Environment", value: env.length === 0 ? [] : [...env, words(" (values hidden)")] },
  ];
}

/** One line for one of several containers. */
function several(container: Container, at: number): Field {
  const memory = container.resources === undefined ? "memory not reported" : containerMemory(container);
  const image = container.image === undefined ? [] : [code(runningImage(container.image, container.image_digest), 120)];
  const size = memory === undefined ? [] : [words(`${memory}${memoryNowText(container)}`, 80)];
  const env = envNames(container.env, ENV_EACH);
  const command = commandOf(container, 80);
  return {
    label: `Container ${truncate(visible(container.name ?? String(at + 1)), 60)}`,
    value: joined([...image, ...size, ...command, ...env], " · "),
  };
}

/** The containers and sidecars of a service or a job. */
export function definitionFields(
  all: readonly Container[],
  { sidecars = [] }: Pick<Service | Job, "sidecars">,
): Field[] {
  return [...containerFields(all), ...sidecarFields(sidecars)];
}

/** All fields of a single container; of several, a line each. */
function containerFields(all: readonly Container[]): Field[] {
  const [first, ...others] = all;
  if (first === undefined) return [];
  if (others.length === 0) return one(first);
  const more = all.length > SHOWN ? [{ label: "And", value: [words(`${all.length - SHOWN} more containers`)] }] : [];
  return [...all.slice(0, SHOWN).map(several), ...more];
}

/** "Sidecar proxy  envoy:1 · 128 MiB": they run beside the containers, and no change of memory reaches them. */
function sidecarFields(sidecars: readonly Sidecar[]): Field[] {
  const more = sidecars.length - SHOWN;
  return [
    ...sidecars.slice(0, SHOWN).map(({ name, image, image_digest, resources }) => ({
      label: `Sidecar ${truncate(visible(name), 60)}`,
      value: joined(
        [
          ...(image === undefined || image === "" ? [] : [code(runningImage(image, image_digest), 100)]),
          words(memoryText(resources?.limits?.memory) ?? "no memory limit", 40),
        ],
        " · ",
      ),
    })),
    ...(more > 0 ? [{ label: "And", value: [words(counted(more, "more sidecar"))] }] : []),
  ];
}

/** What a workload is in Kubernetes, where it isn't what most are there: two kinds can share a name. */
export function unusualKind({ kubernetes_kind: kind }: Pick<Service, "kubernetes_kind">): string | undefined {
  return kind === "Deployment" || kind === "Job" ? undefined : kind && truncate(visible(kind), 30);
}

/** "StatefulSet · managed by Helm release shop · size set by autoscaler web-hpa". */
export function ownerLines({
  managed_by: owner,
  size_set_by: sizer,
  ...service
}: Pick<Service, "kubernetes_kind" | "managed_by" | "size_set_by">): Line[] {
  const kind = unusualKind(service);
  const parts = [kind, owner && `managed by ${owner}`, sizer && `size set by ${sizer}`].filter(Boolean).join(" · ");
  return parts === "" ? [] : [[words(parts.charAt(0).toUpperCase() + parts.slice(1), 400)]];
}

/** "⚠️ 6 error lines per minute in its log": the status is about running, and a workload that runs can still fail at its work. */
export function logLines(log: LogCheck): Line[] {
  if (log === undefined) return [];
  if (log === "unread") return ["Couldn't read its log."];
  const rate = failureRate(log);
  return rate === undefined ? [] : [`⚠️ Its log: ${rate}`];
}

/** The latest request that ran for this workload, from rows of ended requests, newest first. */
export function lastChange(
  events: readonly HistoryEvent[],
  { kind, region, name }: Pick<WorkloadRef, "kind" | "region" | "name">,
): HistoryEvent | undefined {
  return events.find(
    (event) =>
      (event.kind === "done" || event.kind === "unknown") &&
      event.workload?.kind === kind &&
      event.workload.region === region &&
      event.workload.name === name,
  );
}

/** "Last change: ✅ web scaled 1 → 2 · Dana Reyes · 2h": the row of history, so that both agree. */
function lastChangeLine(last: HistoryEvent | undefined, now: Date): Block[] {
  if (last?.workload === undefined) return [];
  const { region: defaultRegion } = last.workload;
  return [section([words("Last change: "), ...historyLine(last, { now, defaultRegion, detail: "brief" })])];
}

const LISTED = 3;
const DIFF = 2;

export type Waiting = {
  /** Oldest first; undefined when they couldn't be read. */
  readonly changes: readonly StoredChange[] | undefined;
  /** Rows of its latest ended requests. */
  readonly ended?: readonly HistoryEvent[];
};

/** The requests for one workload that wait for approval, for its card. */
export function waitingLines(waiting: Waiting | undefined, now: Date): Block[] {
  if (waiting === undefined) return [];
  const { changes, ended = [] } = waiting;
  if (changes === undefined) return [section("⚠️ Couldn't check for waiting requests. Try again in a minute.")];
  if (changes.length === 0) return [];
  const lines = changes.slice(0, LISTED).map((change) => line(change, { ended, now }));
  const more = changes.length - LISTED;
  return listed([...lines, ...(more > 0 ? [`${more} more waiting`] : [])]);
}

/**
 * "⏳ Waiting: scale, instances 2 → 4 · requested by Dana Reyes 5m ago · 0 of 1 approval". Only the diff of an update
 * says more than the verb, and it may begin with it: "memory 256 → 512 MiB".
 */
function line(change: StoredChange, { ended = [], now }: Pick<Waiting, "ended"> & { readonly now: Date }): Line {
  const { verb, op, requester, createdAt, diff } = change;
  const what = op === "updateService" ? diff.slice(0, DIFF).join(", ") : "";
  const named = what.startsWith(`${verb} `) ? [] : [strong(verb, 40), ...(what === "" ? [] : [words(", ")])];
  const ago = age(createdAt.toISOString(), now) ?? "0s";
  // The request is for an earlier workload of this name.
  const deletion = deletedSince(change, ended);
  return [
    words("⏳ Waiting: "),
    ...named,
    ...(what === "" ? [] : [words(what, 160)]),
    words(` · ${beforeRequester(change)}`),
    words(requester.name, 80),
    words(` ${ago} ago · ${votesText(change)}`),
    ...(deletion === undefined ? [] : [words(` · ⚠️ ${deletionText(deletion, now)}`, 200)]),
  ];
}
