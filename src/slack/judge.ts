import type { About, Deed, Judge } from "../commands/command.ts";
import { judge as judgeBy } from "../policy/judge.ts";
import { outlook } from "../policy/outlook.ts";
import type { Person } from "../policy/person.ts";
import type { Policy } from "../policy/policy.ts";
import type { PolicyPlace } from "../policy/question.ts";
import { findApprovers } from "./approvers.ts";
import { freshness, type People, type Profile } from "./people.ts";

type Bound = {
  readonly people: People;
  readonly policy: Policy;
  readonly profile: Profile;
  readonly channelId: string;
  /** The user name of the account; undefined when it is not known. */
  readonly account: string | undefined;
  readonly botUserId: () => string | undefined;
};

/** How many approvers are named before "and others". */
const NAMED = 5;

/** The policy for somebody in a place. Groups are looked up only where a rule asks for them. */
export function createJudge(bound: Bound): Judge {
  const { people, profile, channelId, botUserId } = bound;
  return {
    verdict: (about, { breakGlass = false } = {}) =>
      withGroups(bound, (person) => judgeBy(bound.policy, questionOf(bound, person, { about, breakGlass }))),
    outlook: (deeds: readonly Deed[]) =>
      withGroups(bound, (person) =>
        outlook(bound.policy, { person, place: placeOf(channelId), account: bound.account }, deeds),
      ),
    async approvers(from) {
      const found = await findApprovers(
        { people, botUserId },
        { from, channelId, without: profile.userId, enough: NAMED },
      );
      return { names: found.profiles.map(({ name }) => name), count: found.count };
    },
  };
}

/** Slack's ids of conversations with one person begin with D: https://docs.slack.dev/reference/objects/conversation-object */
export function placeOf(channelId: string): PolicyPlace {
  return { kind: channelId.startsWith("D") ? "dm" : "channel", channelId };
}

function questionOf(bound: Bound, person: Person, { about, breakGlass }: { about: About; breakGlass: boolean }) {
  return { person, place: placeOf(bound.channelId), account: bound.account, breakGlass, ...about };
}

/**
 * Decides, and asks Slack for a group's members only when the decision asked for that group; then decides again. A
 * group that Slack does not tell stays unknown, which opens nothing.
 */
async function withGroups<Result>({ people, profile }: Bound, decide: (person: Person) => Result): Promise<Result> {
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
    known.set(first, await isMember(people, first, profile.userId));
  }
}

async function isMember(people: People, groupId: string, userId: string): Promise<boolean | "unknown"> {
  try {
    return (await people.groupMembers(groupId, freshness.deciding)).has(userId);
  } catch {
    return "unknown";
  }
}
