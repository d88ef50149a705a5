import { sockets } from "../rules/limits.ts";
import type { Later } from "../timers.ts";
import type { Transcript } from "../transcript.ts";
import { disconnectFrame, type DisconnectReason } from "./frames.ts";
import type { Link } from "./link.ts";

type Parts = { readonly transcript: Transcript; readonly later: Later };

function says(parts: Parts, link: Link, reason: DisconnectReason): void {
  const frame = disconnectFrame(reason, link.name);
  parts.transcript.begin({ direction: "to bot", kind: "disconnect", request: frame })({
    answer: undefined,
    status: undefined,
  });
  link.send(frame);
}

/** Ends a connection as Slack does: no more deliveries at once, and time for the acks that are under way. */
export function endAfter(parts: Parts, link: Link, reason: DisconnectReason): void {
  if (!link.isOpen()) return;
  link.retire();
  says(parts, link, reason);
  parts.later(sockets.closing.ms, () => link.close());
}

/** Announces the end of a connection `warnMs` before it, or with 0 at the end only. */
export function refresh(parts: Parts, link: Link, warnMs: number): void {
  if (!link.isOpen()) return;
  if (warnMs === 0) return endAfter(parts, link, "refresh_requested");
  says(parts, link, "warning");
  parts.later(warnMs, () => endAfter(parts, link, "refresh_requested"));
}
