import type { Sender, Sent, Streamed } from "../../workflow/post/post.ts";
import type { Result } from "./call.ts";
import type { Messenger } from "./messenger.ts";
import { type FailureKind, isProbablyDone } from "./slack-error.ts";

type Meaning = "later" | "invitation" | "place" | "message" | "gone" | "sealed";

/** What each failure means for a message that Gantry keeps. */
const meanings: Readonly<Record<FailureKind, Meaning>> = {
  limited: "later",
  temporary: "later",
  unsure: "later",
  closed: "place",
  uninvited: "invitation",
  token: "place",
  scope: "place",
  uneditable: "message",
  // A new version of Gantry may mend it.
  content: "message",
  ours: "message",
  unknown: "message",
  gone: "gone",
  sealed: "sealed",
  // Of views.
  superseded: "message",
};

/** Sends the messages that Gantry keeps true. Never rejects: every failure is logged with its reference. */
export function createSender(
  messenger: Pick<Messenger, "post" | "update" | "remove" | "startStream" | "appendStream" | "stopStream">,
): Sender {
  return {
    post: async ({ place, threadTs }, message) =>
      sentOf(await messenger.post({ channel: place, threadTs }, message, "card")),
    update: async (card, message) => sentOf(await messenger.update(card, message, "card")),
    remove: async (card) => void (await messenger.remove(card)),
    startStream: async ({ place, threadTs }, reader) =>
      streamedOf(await messenger.startStream({ channel: place, threadTs }, reader)),
    appendStream: async (card, block) => streamedOf(await messenger.appendStream(card, block)),
    stopStream: async (card) => streamedOf(await messenger.stopStream(card)),
  };
}

function streamedOf<Value>(result: Result<Value>): Streamed<Value> {
  return !result.ok && result.failure.kind === "sealed" ? { kind: "sealed" } : sentOf(result);
}

function sentOf<Value>(result: Result<Value>): Sent<Value> {
  if (result.ok) return { kind: "sent", value: result.value };
  const { failure } = result;
  const { retryAfterMs: ms = 0 } = failure;
  const meaning = meanings[failure.kind];
  switch (meaning) {
    case "later":
      return { kind: "later", ms, isMaybeSent: isProbablyDone(failure) };
    case "gone":
      return { kind: "gone" };
    default:
      return { kind: "blocked", by: meaning === "sealed" ? "message" : meaning };
  }
}
