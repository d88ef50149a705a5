import { expect, test } from "vitest";
import {
  type BlockContext,
  groupsOf,
  heldChoices,
  matching,
  ownGroups,
  valueOfChoices,
} from "../../../../../src/playground/page/blocks/block-context.ts";

const option = (text: string) => ({ text: { type: "plain_text", text }, value: text });
const listed: Pick<BlockContext, "listed"> = {
  listed: (what) => (what === "users" ? [{ id: "U1", name: "@dana" }] : [{ id: "C1", name: "#ops" }]),
};
const context = listed as BlockContext; // choices need no more of it

const shown = (groups: ReturnType<typeof groupsOf>) =>
  groups.map(({ label, choices }) => [label, ...choices.map(({ words }) => words)]);

test("options and groups of options are both listed", () => {
  const grouped = [{ label: { type: "plain_text", text: "Jobs" }, options: [option("a")] }];

  expect(shown(groupsOf([option("a"), option("b")]))).toEqual([["", "a", "b"]]);
  expect(shown(groupsOf(grouped))).toEqual([["Jobs", "a"]]);
  expect(shown(ownGroups(context, { type: "static_select", options: [option("a")] }))).toEqual([["", "a"]]);
});

test("a query matches anywhere in a name, in any case, and empty groups are left out", () => {
  const groups = groupsOf([
    { label: { type: "plain_text", text: "Jobs" }, options: [option("Web-1"), option("worker")] },
    { label: { type: "plain_text", text: "Services" }, options: [option("db")] },
  ]);

  expect(shown(matching(groups, " EB-"))).toEqual([["Jobs", "Web-1"]]);
  expect(matching(groups, "nothing")).toEqual([]);
});

test("people are chosen by id and shown by name, unknown ones by id", () => {
  const element = { type: "users_select" };
  const held = ["U1", "U404"].flatMap((id) => heldChoices(context, element, id));

  expect(held.map(({ words }) => words)).toEqual(["@dana", "U404"]);
  expect(valueOfChoices(element, held)).toBe("U1");
});

test("options are chosen whole", () => {
  const [held] = heldChoices(context, { type: "static_select" }, option("a"));
  const chosen = held === undefined ? [] : [held];

  expect(valueOfChoices({ type: "external_select" }, chosen)).toEqual(option("a"));
  expect(valueOfChoices({ type: "multi_static_select" }, chosen)).toEqual([option("a")]);
  expect(valueOfChoices({ type: "static_select" }, [])).toBeNull();
});
