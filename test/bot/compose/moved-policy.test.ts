import { expect, test } from "vitest";
import { createMovedPolicy } from "../../../src/bot/compose/operator-files.ts";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";

const policy = readPolicy(
  `
rules:
  - { name: look, who: members, where: [C0OLD1, dm], does: read, then: allow }
  - { name: decide, who: members, does: disruptive, then: { approve: { from: [channel-members], post-in: C0OLD1 } } }
  - { name: elsewhere, who: members, where: [C0ELSE], does: read, then: allow }
`,
  "policy.yaml",
);

const moved = [
  { teamId: "T1", from: "C0OLD1", to: "C0NEW1" },
  { teamId: "T2", from: "C0ELSE", to: "C0NEW2" },
];

test("rules apply under a channel's old and new id, and its cards go to the new one, in this workspace alone", async () => {
  const policies = createMovedPolicy({ movedChannels: () => Promise.resolve(moved) });
  const before = policies.of("T1", policy);
  await policies.refresh();
  const { rules } = policies.of("T1", policy);
  const cardsIn = rules.map(({ end }) => (end.kind === "approve" ? end.terms.cardIn : undefined));

  expect(before).toBe(policy);
  expect(rules.map(({ where }) => where)).toEqual([["C0OLD1", "C0NEW1", "dm"], undefined, ["C0ELSE"]]);
  expect(cardsIn).toEqual([undefined, "C0NEW1", undefined]);
  expect(policies.of("T2", policy).rules.map(({ where }) => where)).toEqual([
    ["C0OLD1", "dm"],
    undefined,
    ["C0ELSE", "C0NEW2"],
  ]);
  expect(policies.of("T3", policy)).toBe(policy);
  expect(policies.of(undefined, policy)).toBe(policy);
});
