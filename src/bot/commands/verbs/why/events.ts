import type { Event } from "../../../../api/answers.ts";
import { causeWords } from "../../../../api/cause.ts";
import { context, listed, type Block, type Line } from "../../../views/kit/blocks.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import { counted } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import { type Found, statusOf, workloadOf } from "../../lookup/find.ts";

const SHOWN = 5;
const EVENT_MESSAGE = 300;

/** https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/kubelet/events/event.go and those of its controllers. */
const wordsByReason: ReadonlyMap<string, string> = new Map([
  ["FailedMount", causeWords.volume.one],
  ["FailedAttachVolume", causeWords.volume.one],
  ["FailedMapVolume", causeWords.volume.one],
  ["FailedScheduling", causeWords.unschedulable.one],
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
function eventWords({ reason, message }: Event): string {
  const known = wordsByReason.get(reason);
  if (known !== undefined) return known;
  const [, probe = ""] = /\b(liveness|readiness|startup) probe/iu.exec(message) ?? [];
  if (probe !== "" && reason === "Killing") return `was restarted because its ${probe.toLowerCase()} probe failed`;
  if (probe !== "" && reason === "Unhealthy") return `failed its ${probe.toLowerCase()} probe`;
  if (/\bpull(?:ing)?\b.*\bimage\b|ErrImagePull|ImagePullBackOff/iu.test(message)) return causeWords.image.one;
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
  const lines = events.slice(0, SHOWN).map((event) => eventLine(event, now));
  const more = events.length - SHOWN;
  return [
    ...listed(lines, { title: "Reported by the cluster:" }),
    ...(more > 0 ? [context(counted(more, "more event"))] : []),
    ...(notRead === undefined ? [] : [context(notRead)]),
  ];
}

/** "web-1 can't mount a volume, 12 times, the last 10s ago: secret "db" not found". */
function eventLine(event: Event, now: Date): Line {
  const { object, message, count = 1, last_at: at } = event;
  const ago = age(at, now);
  const often = count > 1 ? `, ${counted(count, "time")}` : "";
  const when = ago === undefined ? "" : `, ${count > 1 ? "the last " : ""}${ago} ago`;
  return [
    ...(object === undefined ? [words("Several instances: ")] : [strong(object, 80), words(" ")]),
    words(`${eventWords(event)}${often}${when}: ${message}`, EVENT_MESSAGE),
  ];
}

/** Why the workload isn't well, as far as only an event says it. */
export function eventCause(found: Found): string | undefined {
  const [event] = newEvents(found);
  return event && eventWords(event);
}

/** Whether its containers are restarted because of a probe, which its log may not show. */
export function probeCause(found: Found): string | undefined {
  const killed = newEvents(found).find(({ reason, message }) => reason === "Killing" && /\bprobe\b/iu.test(message));
  const [, probe] = /\b(liveness|startup) probe/iu.exec(killed?.message ?? statusOf(found).reason ?? "") ?? [];
  return probe === undefined ? undefined : `its ${probe.toLowerCase()} probe fails`;
}

/** Without what the reason of its status says. */
function newEvents(found: Found): readonly Event[] {
  const { events = [] } = workloadOf(found);
  const { reason = "" } = statusOf(found);
  return events
    .filter(({ message }) => !reason.includes(message.replace(PASSED_ON, "").slice(0, SAID)))
    .toSorted((left, right) => Number(left.reason === "BackOff") - Number(right.reason === "BackOff"));
}

/** Long enough to be no accident. */
const SAID = 60;
const PASSED_ON = /^Error creating: /u;
