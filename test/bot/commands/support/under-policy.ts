import { bestOutcome, evaluate, evaluateAtBest } from "../../../../src/bot/policy/evaluate.ts";
import type { Policy, Standing } from "../../../../src/bot/policy/policy.ts";
import { scripted, type Script, type Scripted } from "./script.ts";

export type Asker = {
  readonly standing?: Standing;
  /** The user groups that they are in. */
  readonly groups?: readonly string[];
  readonly channelId?: string;
};

/** A script in which a policy decides for somebody in a channel, as the bot binds it; Dana, a member, in #ops by default. */
export function underPolicy(policy: Policy, asker: Asker = {}, script: Script = {}): Scripted {
  const { standing = "member", groups = [], channelId = "C0OPS" } = asker;
  const scene = scripted(script);
  const person = { ...scene.context.asker, standing, inGroup: (id: string) => groups.includes(id) };
  const asked = { person, where: { kind: "channel", channelId }, account: "dana" } as const;
  return {
    ...scene,
    context: {
      ...scene.context,
      asker: { ...scene.context.asker, standing, channelId },
      permissions: {
        ...scene.context.permissions,
        verdict: async (about, { breakGlass = false, isAtBest = false } = {}) =>
          (isAtBest ? evaluateAtBest : evaluate)(policy, { ...asked, ...about, breakGlass }),
        outlook: async (actions, options = {}) => bestOutcome(policy, { ...asked, ...options }, actions),
      },
    },
  };
}
