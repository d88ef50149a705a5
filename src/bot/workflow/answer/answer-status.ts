import type { Ask } from "../../ask.ts";
import { UserError } from "../../errors.ts";
import { type StatusFor, statusMessage } from "../../views/status/status-message.ts";
import { beforeNo } from "../access/approvers.ts";
import { isDirect, type Origin } from "../origin.ts";
import { freshness, type WorkflowParts } from "../ports.ts";

/** Needs neither the database nor an account, because people ask when something is broken. */
export async function answerStatus(
  deps: Pick<WorkflowParts, "checkup" | "people" | "responder" | "settings">,
  ask: Ask,
  origin: Origin,
): Promise<void> {
  const [findings, details, outside] = await Promise.all([
    deps.checkup(),
    detailsFor(deps, ask, origin),
    outsideOf(deps, origin),
  ]);
  const message = statusMessage({ findings, details, outside, command: deps.settings.command });
  await deps.responder.answer(message, origin, { isShared: ask.share });
}

/** Details name machines and errors: only admins see them, and never a whole channel. */
async function detailsFor(
  { people }: Pick<WorkflowParts, "people">,
  ask: Ask,
  origin: Origin,
): Promise<StatusFor["details"]> {
  if (ask.share) return "shared";
  try {
    const { isAdmin } = await people.profile(origin.userId, freshness.profile);
    return isAdmin ? "shown" : "others";
  } catch (error) {
    if (error instanceof UserError) return "unchecked";
    throw error;
  }
}

async function outsideOf(
  { people }: Pick<WorkflowParts, "people">,
  { channelId }: Origin,
): Promise<StatusFor["outside"]> {
  if (isDirect(channelId)) return undefined;
  try {
    const { userId, name } = people.bot();
    // Slack lists a public channel's members to a bot that isn't one of them.
    const isIn = (members: ReadonlySet<string> | undefined): boolean =>
      members !== undefined && (userId === undefined || members.has(userId));
    const ask = (maxAgeMs: number) => people.channelMembers(channelId, maxAgeMs);
    return isIn(await beforeNo(people, ask, isIn, freshness.reading)) ? undefined : { channelId, botName: name };
  } catch (error) {
    // The lines about Slack say what is wrong.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
