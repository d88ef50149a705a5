import type { User } from "../workspace/state.ts";

/** Throws a sentence when somebody was deactivated and Slack has signed them out: it takes nothing from them. */
export function checkSignedIn(user: User): void {
  if (!user.isSignedOut) return;
  throw new Error(
    `${user.realName} is deactivated, and Slack takes nothing from them. Reactivate them, or be somebody else.`,
  );
}
