import type { Sender, Sent } from "../../workflow/posts.ts";
import type { Result } from "./call.ts";
import type { Messenger } from "./messenger.ts";
import { type FailureKind, reasonFor } from "./slack-error.ts";

type Meaning = "later" | "app" | "invitation" | "place" | "message" | "gone";

/** What each failure means for a message that Gantry keeps. */
const meanings: Readonly<Record<FailureKind, Meaning>> = {
  limited: "later",
  temporary: "later",
  unsure: "later",
  closed: "place",
  uninvited: "invitation",
  token: "app",
  scope: "app",
  uneditable: "message",
  // A new version of Gantry may mend it.
  content: "message",
  ours: "message",
  unknown: "message",
  gone: "gone",
  // Of views.
  superseded: "message",
};

/** Sends the messages that Gantry keeps true. Never rejects: every failure is logged with its reference. */
export function createSender(
  messenger: Pick<Messenger, "post" | "update" | "remove" | "respond" | "permalink">,
): Sender {
  return {
    async answer(responseUrl, message) {
      const how = { response_type: "ephemeral", replace_original: false } as const; // a literal type of response
      const answered = await messenger.respond(responseUrl, message, how);
      return !answered.ok && answered.failure.mayBeDone ? "maybe" : answered.ok;
    },
    post: async ({ place: channel, ...to }, message) =>
      sentOf(await messenger.post({ channel, ...to }, message, "card")),
    update: async (card, message) => sentOf(await messenger.update(card, message, "card")),
    remove: async (card) => void (await messenger.remove(card)),
    async link(card) {
      const link = await messenger.permalink(card);
      return link.ok ? link.value : undefined;
    },
  };
}

function sentOf<Value>(result: Result<Value>): Sent<Value> {
  if (result.ok) return { kind: "sent", value: result.value };
  const { failure } = result;
  const { retryAfterMs: ms = 0, reference } = failure;
  const refusal = { reason: reasonFor(failure), reference };
  const meaning = meanings[failure.kind];
  switch (meaning) {
    case "later":
      return { kind: "later", ms, isMaybeSent: failure.mayBeDone, refusal };
    case "gone":
      return { kind: "gone", refusal };
    default:
      return { kind: "blocked", by: meaning, refusal };
  }
}
