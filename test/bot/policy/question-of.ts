import type { Person, Question } from "../../../src/bot/policy/policy.ts";

type Given = Partial<Omit<Question, "person" | "workload">> & {
  readonly person?: Partial<Person>;
  readonly workload?: Partial<Question["workload"]>;
  /** In which groups the person is; `unknown`: Slack does not tell. */
  readonly groups?: readonly string[] | "unknown";
};

/** Dana, a full member, who wants to delete the service web in #ops; each test says what is different. */
export function questionOf({ person, workload, groups = [], ...rest }: Given = {}): Question {
  return {
    where: { kind: "channel", channelId: "C0OPS" },
    op: "deleteService",
    risk: "destructive",
    account: "ops",
    breakGlass: false,
    ...rest,
    person: {
      userId: "U0DANA",
      name: "Dana Reyes",
      standing: "member",
      inGroup: (group) => (groups === "unknown" ? "unknown" : groups.includes(group)),
      ...person,
    },
    workload: { kind: "service", region: "beijing1", name: "web", ...workload },
  };
}

/** A list of services and jobs together. */
export const listOfAll = {
  op: "listServices",
  risk: undefined,
  workload: { kind: undefined, name: undefined },
} as const;

/** `show web`, of which nobody knows yet what it is. */
export const showBareName = { op: "getService", risk: undefined, workload: { kind: undefined } } as const;
