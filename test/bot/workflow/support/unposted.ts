import type { StoredPost } from "../../../../src/bot/workflow/posts.ts";

/** A message in a channel that Slack hasn't taken yet. */
export const unposted: StoredPost = {
  id: "p1",
  kind: "alert",
  key: "a1",
  teamId: "T1",
  payload: undefined,
  place: "C1",
  insteadOf: undefined,
  fallback: "U1",
  card: undefined,
  posts: 0,
  sentKeys: [],
  listed: [],
  restUntil: undefined,
  blockedAt: undefined,
  createdAt: new Date(0),
};
