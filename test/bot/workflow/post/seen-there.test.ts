import { expect, test } from "vitest";
import { SlackAway, UserError } from "../../../../src/bot/errors.ts";
import type { People, WorkflowParts } from "../../../../src/bot/workflow/ports.ts";
import { mayBeNamed } from "../../../../src/bot/workflow/post/seen-there.ts";
import { desk } from "../support/desk.ts";

const policy = `
rules:
  - { name: nothing here, who: everyone, where: C0LOBBY, does: read, then: refuse }
  - { name: not of acme, who: everyone, does: read, workloads: { name: "secret-*", account: acme }, then: refuse }
  - { name: on call, who: S0ONCALL, does: read, workloads: { name: pager }, then: allow }
  - { name: look, who: members, does: read, workloads: { name: ["web", "shop-*", "secret-*"] }, then: allow }
`;

const away = () => Promise.reject(new SlackAway("Slack doesn't answer."));

type Asked = {
  readonly names?: string;
  readonly place?: string;
  readonly account?: string;
  readonly people?: Partial<People>;
};

/** Whether a place may be told a name that Ann typed. */
async function mayBeTold({
  names = "web",
  place = "C1",
  account = "beta",
  people,
}: Asked): Promise<boolean | undefined> {
  const { deps } = await desk({ policy });
  const parts: WorkflowParts = { ...deps, people: { ...deps.people, ...people } };
  const targets = [{ kind: "service", names, region: "us" }] as const; // a literal kind
  return mayBeNamed(parts, { teamId: "T1", userId: "U1", account, targets }, place);
}

const gone = { userId: "U1", name: "Ann Lee", standing: "deactivated", isAdmin: false } as const; // a literal standing

test.each<readonly [what: string, asked: Asked, may: boolean | undefined]>([
  ["a name that policy lets them see there", {}, true],
  ["a pattern that it lets them see", { names: "shop-*" }, true],
  ["all, which is no name", { names: "*", place: "C0LOBBY" }, true],
  ["a name in a place where it hides all", { place: "C0LOBBY" }, false],
  ["a name that it hides for this account", { names: "secret-1", account: "acme" }, false],
  ["the same of another account", { names: "secret-1" }, true],
  ["a name that somebody typed who is deactivated by now", { people: { profile: async () => gone } }, true],
  [
    "a name that somebody typed whom Slack doesn't know",
    { people: { profile: () => Promise.reject(new UserError("No.")) } },
    false,
  ],
  ["a name while Slack can't say who typed it", { people: { profile: away } }, undefined],
  [
    "one for members of a group, while Slack can't say who they are",
    { names: "pager", people: { groupMembers: away } },
    undefined,
  ],
  ["any other meanwhile", { people: { groupMembers: away } }, true],
])("%s", async (_what, asked, may) => {
  expect(await mayBeTold(asked)).toBe(may);
});
