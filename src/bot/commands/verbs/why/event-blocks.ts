import type { Event } from "../../../../api/answers.ts";
import { redactLines } from "../../../logs/redact.ts";
import { context, section, type Line } from "../../../views/kit/blocks.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import type { Block } from "../../../views/kit/message.ts";
import { counted } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import type { Found } from "../../lookup/find.ts";
import { statusOf } from "../show/show.ts";

const SHOWN = 5;
const MESSAGE = 300;

/** https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/kubelet/events/event.go and those of its controllers. */
const deeds: ReadonlyMap<string, string> = new Map([
  ["FailedMount", "couldn't mount a volume"],
  ["FailedAttachVolume", "couldn't attach a volume"],
  ["FailedMapVolume", "couldn't attach a volume"],
  ["FailedScheduling", "fits on no node"],
  ["Evicted", "was evicted from its node"],
  ["Preempted", "made room for a more important workload"],
  ["TaintManagerEviction", "was removed from its node"],
  ["NodeNotReady", "lost its node"],
  ["FailedCreate", "couldn't create an instance"],
  ["FailedCreatePodSandBox", "couldn't be set up on its node"],
  ["FailedPostStartHook", "failed right after its start"],
  ["ErrImageNeverPull", "has no image on its node"],
  ["InspectFailed", "has an image that can't be read"],
  ["NetworkNotReady", "has no network on its node"],
]);

/** What an event comes to, after the name of what it is about. */
function deedOf({ reason, message }: Event): string {
  const known = deeds.get(reason);
  if (known !== undefined) return known;
  const [, probe = ""] = /\b(liveness|readiness|startup) probe/iu.exec(message) ?? [];
  if (probe !== "" && reason === "Killing") return `was restarted because its ${probe.toLowerCase()} probe failed`;
  if (probe !== "" && reason === "Unhealthy") return `failed its ${probe.toLowerCase()} probe`;
  if (/\bpull(?:ing)?\b.*\bimage\b|ErrImagePull|ImagePullBackOff/iu.test(message)) return "couldn't pull the image";
  if (reason === "BackOff") return "waits before it is started again";
  return reason;
}

/**
 * What the cluster reports of a workload, in words: their messages are text from outside, as a log is. Nothing for what its
 * status says already.
 */
export function eventBlocks(found: Found, now: Date): Block[] {
  const { events_not_read: notRead } = workloadOf(found);
  const events = newEvents(found);
  const [first, ...rest] = events.slice(0, SHOWN).map((event) => eventLine(event, now));
  const more = events.length - SHOWN;
  return [
    ...(first === undefined ? [] : [section("Reported by the cluster:", first, ...rest)]),
    ...(more > 0 ? [context(counted(more, "more event"))] : []),
    ...(notRead === undefined ? [] : [context(notRead)]),
  ];
}

/** "web-1 couldn't mount a volume, 12 times, last 10 s ago: secret "db" not found". */
function eventLine(event: Event, now: Date): Line {
  const { object, message, count = 1, last_at: at } = event;
  const ago = age(at, now);
  const often = count > 1 ? `, ${counted(count, "time")}` : "";
  const when = ago === undefined ? "" : `, ${count > 1 ? "last " : ""}${ago} ago`;
  return [
    ...(object === undefined ? [words("Several instances: ")] : [strong(object, 80), words(" ")]),
    words(`${deedOf(event)}${often}${when}: ${message}`, MESSAGE),
  ];
}

/** Why the workload isn't well, as far as only an event says it. */
export function eventCause(found: Found): string | undefined {
  const [event] = newEvents(found);
  return event && deedOf(event);
}

/** Whether its containers are restarted because of a probe, which its log may not show. */
export function probeCause(found: Found): string | undefined {
  const killed = newEvents(found).find(({ reason, message }) => reason === "Killing" && /\bprobe\b/iu.test(message));
  const [, probe] = /\b(liveness|startup) probe/iu.exec(killed?.message ?? "") ?? [];
  return probe === undefined ? undefined : `its ${probe.toLowerCase()} probe fails`;
}

/** Redacted like log lines, and without what the reason of its status says. */
function newEvents(found: Found): readonly Event[] {
  const { events = [] } = workloadOf(found);
  const { reason = "" } = statusOf(found);
  const redacted = redactLines(
    events.map(({ message }) => message),
    envOf(found),
  );
  return events
    .map((event, at) => ({ ...event, message: redacted[at] ?? "" }))
    .filter(({ message }) => message !== "" && !reason.includes(message.replace(PASSED_ON, "").slice(0, SAID)))
    .toSorted((left, right) => Number(left.reason === "BackOff") - Number(right.reason === "BackOff"));
}

/** Long enough to be no accident. */
const SAID = 60;
const PASSED_ON = /^Error creating: /u;

function workloadOf(found: Found) {
  return found.kind === "service" ? found.service : found.job;
}

function envOf(found: Found): string[] {
  const containers = found.kind === "service" ? found.service.containers : found.job.spec?.template?.spec?.containers;
  return (containers ?? []).flatMap(({ env = [] }) => env.flatMap(({ value }) => value ?? []));
}
