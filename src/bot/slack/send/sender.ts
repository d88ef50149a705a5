import type { Sender, Sent } from "../../workflow/post/post.ts";
import type { Result } from "./call.ts";
import type { Messenger } from "./messenger.ts";
import type { FailureKind } from "./slack-error.ts";

type Meaning = "later" | "maybe" | "place" | "message" | "gone";

/** What each failure means for a message that Gantry keeps. */
const meanings: Readonly<Record<FailureKind, Meaning>> = {
  limited: "later",
  temporary: "later",
  unsure: "maybe",
  closed: "place",
  uninvited: "place",
  token: "place",
  scope: "place",
  uneditable: "message",
  // A new version of Gantry may mend it.
  content: "message",
  ours: "message",
  unknown: "message",
  // Of views and streams.
  superseded: "message",
  sealed: "message",
  gone: "gone",
};

/** Sends the messages that Gantry keeps true. Never rejects: every failure is logged with its reference. */
export function createSender({ post, update, remove }: Pick<Messenger, "post" | "update" | "remove">): Sender {
  return {
    post: async ({ place, threadTs }, message) => sentOf(await post({ channel: place, threadTs }, message, "card")),
    update: async (card, message) => sentOf(await update(card, message, "card")),
    remove: async (card) => void (await remove(card)),
  };
}

function sentOf<Value>(result: Result<Value>): Sent<Value> {
  if (result.ok) return { kind: "sent", value: result.value };
  const { kind, retryAfterMs: ms = 0 } = result.failure;
  const meaning = meanings[kind];
  if (meaning === "gone") return { kind: "gone" };
  if (meaning === "place" || meaning === "message") return { kind: "blocked", isPlace: meaning === "place" };
  return { kind: "later", ms, isMaybeSent: meaning === "maybe" };
}
