import type { About, Action, Permissions } from "../../commands/command.ts";
import { type Binding, outsideLock } from "../../policy/binding.ts";
import { bestOutcome, evaluate, evaluateAtBest } from "../../policy/evaluate.ts";
import type { Policy, Person, Where, Verdict } from "../../policy/policy.ts";
import { approversNow, beforeNo } from "./approvers.ts";
import { freshness, type People, type WorkflowParts } from "../ports.ts";
import type { Profile } from "../stored.ts";
import { isDirect } from "../origin.ts";

type Bound = {
  readonly people: People;
  readonly policy: Policy;
  readonly profile: Profile;
  readonly channelId: string;
  /** The user name of the account; undefined when it is not known. */
  readonly account: string | undefined;
  /** A locked channel refuses everything outside its binding before any rule is asked. */
  readonly binding: Binding | undefined;
};

/** The policy for somebody in a place. Groups are looked up only where a rule asks for them. */
function createPermissions(bound: Bound): Permissions {
  const { people, profile, channelId } = bound;
  return {
    async verdict(about, { breakGlass = false, isAtBest = false } = {}) {
      const outside = outsideOf(bound, about);
      if (outside !== undefined) return { kind: "refuse", rule: undefined, ...outside };
      const ask = (maxAgeMs: number): Promise<Verdict> =>
        withGroups(bound, maxAgeMs, (person) =>
          (isAtBest ? evaluateAtBest : evaluate)(bound.policy, {
            person,
            where: whereOf(channelId),
            account: bound.account,
            breakGlass,
            ...about,
          }),
        );
      // Slack allows few lookups of groups a minute, and reads ask about every workload.
      return about.risk === undefined
        ? ask(freshness.deciding)
        : beforeNo(people, ask, ({ kind }) => kind !== "refuse");
    },
    outlook: (actions: readonly Action[], { breakGlass = false } = {}) =>
      withGroups(bound, freshness.deciding, (person) =>
        bestOutcome(bound.policy, { person, where: whereOf(channelId), account: bound.account, breakGlass }, actions),
      ),
    approvers: (from) => approversNow(people, { from, channelId, without: profile.userId }),
  };
}

/** A lock is about workloads: the channel can still be bound differently. */
function outsideOf({ binding, channelId }: Bound, { op, workload }: About): ReturnType<typeof outsideLock> {
  if (op === "bindChannel") return isDirect(channelId) ? onlyChannels : undefined;
  return binding === undefined ? undefined : outsideLock(binding, workload);
}

const onlyChannels = { why: "You can't bind a direct message.", next: "Use it in a channel." };

function whereOf(channelId: string): Where {
  return { kind: isDirect(channelId) ? "dm" : "channel", channelId };
}

/**
 * Decides, and asks Slack for a group's members only when the decision asked for that group; then decides again. A
 * group that Slack can't list stays unknown, and unknown never allows anything.
 */
async function withGroups<Result>(
  { people, profile }: Bound,
  maxAgeMs: number,
  decide: (person: Person) => Result,
): Promise<Result> {
  const known = new Map<string, boolean | "unknown">();
  for (;;) {
    const asked: string[] = [];
    const inGroup = (id: string): boolean | "unknown" => {
      const answer = known.get(id);
      if (answer === undefined) asked.push(id);
      return answer ?? "unknown";
    };
    const result = decide({ ...profile, inGroup });
    const [first] = asked;
    if (first === undefined) return result;
    known.set(first, await isMember(people, { groupId: first, userId: profile.userId, maxAgeMs }));
  }
}

type Membership = { readonly groupId: string; readonly userId: string; readonly maxAgeMs: number };

async function isMember(people: People, { groupId, userId, maxAgeMs }: Membership): Promise<boolean | "unknown"> {
  try {
    return (await people.groupMembers(groupId, maxAgeMs)).has(userId);
  } catch {
    return "unknown";
  }
}

type For = {
  readonly profile: Profile;
  readonly channelId: string;
  readonly account: { readonly username: string } | undefined;
  /** Of a locked channel: refuses what is outside. Without it the policy alone decides. */
  readonly binding?: Binding | undefined;
};

export function permissionsFor(
  { people, policy }: Pick<WorkflowParts, "people" | "policy">,
  { profile, channelId, account, binding }: For,
): Permissions {
  return createPermissions({ people, policy: policy(), profile, channelId, account: account?.username, binding });
}
