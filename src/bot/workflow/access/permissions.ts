import type { About, Permissions } from "../../commands/command.ts";
import { type Binding, outsideLock } from "../../policy/binding.ts";
import { bestOutcome, evaluate, evaluateAtBest } from "../../policy/evaluate.ts";
import type { Person, Where, Verdict } from "../../policy/policy.ts";
import { approversNow, beforeNo } from "./approvers.ts";
import { freshness, type People, type WorkflowParts } from "../ports.ts";
import type { Profile } from "../stored.ts";
import { isDirect } from "../origin.ts";

type For = {
  readonly profile: Profile;
  readonly channelId: string;
  /** Undefined when it is not known. */
  readonly account: { readonly username: string } | undefined;
  /** A locked channel refuses everything outside its binding before any rule is asked. */
  readonly binding?: Binding | undefined;
};

/** The policy for somebody in a place. Groups are looked up only where a rule asks for them. */
export function permissionsFor(
  { people, policy: current }: Pick<WorkflowParts, "people" | "policy">,
  { profile, channelId, account, binding }: For,
): Permissions {
  const policy = current();
  const asked = { where: whereOf(channelId), account: account?.username };
  const asPerson = <Result>(maxAgeMs: number, decide: (person: Person) => Result): Promise<Result> =>
    withGroups(people, profile, { maxAgeMs, decide });
  return {
    async verdict(about, { breakGlass = false, isAtBest = false } = {}) {
      const outside = outsideOf(about, channelId, binding);
      if (outside !== undefined) return { kind: "refuse", rule: undefined, ...outside };
      const decide = isAtBest ? evaluateAtBest : evaluate;
      const ask = (maxAgeMs: number): Promise<Verdict> =>
        asPerson(maxAgeMs, (person) => decide(policy, { person, ...asked, breakGlass, ...about }));
      // Slack allows few lookups of groups a minute, and reads ask about every workload.
      return about.risk === undefined
        ? ask(freshness.deciding)
        : beforeNo(people, ask, ({ kind }) => kind !== "refuse");
    },
    outlook: (actions, options = {}) =>
      asPerson(freshness.deciding, (person) => bestOutcome(policy, { person, ...asked, ...options }, actions)),
    approvers: (from) => approversNow(people, { from, channelId, without: profile.userId }),
  };
}

/** A lock is about workloads: the channel can still be bound differently. */
function outsideOf({ op, workload }: About, channelId: string, binding: Binding | undefined) {
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
  people: People,
  profile: Profile,
  { maxAgeMs, decide }: { readonly maxAgeMs: number; readonly decide: (person: Person) => Result },
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
    const members = await people.groupMembers(first, maxAgeMs).catch(() => undefined);
    known.set(first, members?.has(profile.userId) ?? "unknown");
  }
}
