import type { FollowMessages, FollowSent } from "../../workflow/ports.ts";
import { isDirect } from "../../workflow/origin.ts";
import type { Result } from "./call.ts";
import type { Messenger } from "./messenger.ts";
import type { FailureKind } from "./slack-error.ts";

/** The messages of a log that is followed, over the one sender. */
export function createFollowMessages(messenger: Messenger): FollowMessages {
  return {
    post: async ({ channelId: channel, threadTs }, post) =>
      said(await messenger.post({ channel, threadTs }, post, "card")),
    update: async (card, post) => said(await messenger.update(card, post, "card")),
    async startStream({ channelId: channel, threadTs }, reader) {
      const started = await messenger.startStream({ channel, threadTs }, reader);
      const sent = said(started);
      // A place that takes no stream may take messages.
      return !started.ok && started.failure.kind === "closed" ? { kind: "refused" } : sent;
    },
    appendStream: async (card, block) => said(await messenger.appendStream(card, block)),
    stopStream: async (card) => said(await messenger.stopStream(card)),
  };
}

const gone: ReadonlySet<FailureKind> = new Set(["closed", "uninvited", "gone", "token"]);
const later: ReadonlySet<FailureKind> = new Set(["limited", "temporary", "unsure", "uneditable"]);

function said<Value>(result: Result<Value>): FollowSent<Value> {
  if (result.ok) return { kind: "sent", value: result.value };
  const { kind, retryAfterMs, target = "" } = result.failure;
  if (kind === "sealed") return { kind };
  if (gone.has(kind)) return { kind: "gone", canInvite: kind === "uninvited" && !isDirect(target) };
  // A message that is still streamed can't be updated: that ends by itself.
  return later.has(kind) ? { kind: "later", ms: retryAfterMs } : { kind: "refused" };
}
