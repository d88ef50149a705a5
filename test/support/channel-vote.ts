import type { Terms } from "../../src/bot/policy/policy.ts";

/** What `approve: {}` in a rule stands for: one vote of the channel, within an hour. */
export const channelVote: Terms = {
  votes: 1,
  from: { users: [], groups: [], channelMembers: true },
  selfApproval: false,
  reasonRequired: false,
  expiresMs: 3_600_000,
  cardIn: undefined,
  mention: "all",
};
