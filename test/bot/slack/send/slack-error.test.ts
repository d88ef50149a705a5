import { expect, test } from "vitest";
import { isTemporary, kindOf, reasonFor } from "../../../../src/bot/slack/send/slack-error.ts";
import { documented } from "../../../support/slack-codes.ts";

test.each(Object.entries(documented))("every documented error of %s is classified", (_, list) => {
  expect(list.split(/\s+/u).filter((code) => kindOf(code) === "unknown")).toEqual([]);
});

test.each([
  ["is_archived", "closed", "the channel is archived"],
  ["is_inactive", "closed", "the channel is archived"],
  ["restricted_action_thread_locked", "closed", "Slack refused it (restricted_action_thread_locked)"],
  ["not_in_channel", "uninvited", "I'm not in the channel"],
  ["token_revoked", "token", "Slack rejected the bot token (token_revoked)"],
  ["missing_scope", "scope", "the Slack app lacks the channels:read scope"],
  ["invalid_blocks", "content", "Slack refused it (invalid_blocks)"],
  ["ratelimited", "limited", "Slack's rate limit is reached"],
  ["internal_error", "unsure", "Slack didn't answer"],
  ["a_code_nobody_knows", "unknown", "Slack refused it (a_code_nobody_knows)"],
] as const)("%s is %s, and people read: %s", (code, kind, reason) => {
  const needed = kind === "scope" ? "channels:read" : undefined;

  expect(kindOf(code)).toBe(kind);
  expect(reasonFor({ kind, code, needed })).toBe(reason);
  expect(isTemporary({ kind })).toBe(["limited", "unsure"].includes(kind));
});
