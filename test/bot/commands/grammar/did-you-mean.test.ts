import { expect, test } from "vitest";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { UserError } from "../../../../src/bot/errors.ts";
import { refusal } from "../support/refusal.ts";

/** The words on the buttons under an error. */
function offered(text: string): readonly string[] {
  try {
    parseText(text);
  } catch (error) {
    if (error instanceof UserError) return error.suggestions.map(({ label, words }) => label ?? words ?? "");
    throw error;
  }
  throw new Error(`${text} was understood`);
}

test.each<[string, string]>([
  ["lst", "list"],
  ["restrat web", "restart web"],
  ["shwo web", "show web"],
  ["reboot web", "restart web"],
  ["bounce web", "restart web"],
  ["remove boom", "delete boom"],
  ["destroy boom", "delete boom"],
  ["descrbe web", "show web"],
  ["hist web", "history web"],
  ["top", "list"],
  ["resize web 3", "scale web 3"],
  ["reboot web --reason 'it leaks'", 'restart web --reason "it leaks"'],
])("%s offers to run %s", (text, words) => {
  expect(offered(text)).toEqual([words, "All commands"]);
});

test("words that come close to two verbs offer both", () => {
  expect(offered("kill web")).toEqual(["stop web", "delete web", "All commands"]);
});

test("use isn't offered for ps, nor stop for top", () => {
  expect(parseText("ps").ask.verb).toBe("list");
  expect(refusal("top")).not.toContain("stop");
  expect(refusal("top web")).not.toContain("stop");
});

test.each(["xyz", "frobnicate", "no", "and", "don't restart web", "never delete web", "not", "tip", "tops"])(
  "nothing comes close to %s",
  (text) => {
    expect(offered(text)).toEqual(["All commands"]);
    expect(refusal(text)).not.toContain("Did you mean");
  },
);

test("words that don't fit the verb run nothing, but say how it is used", () => {
  expect(offered("reboot")).toEqual(["All commands"]);
  expect(refusal("reboot")).toContain("Did you mean `restart`? | restart NAME… | restart web");
});

test("no button holds the value of a variable or a token", () => {
  expect(offered("launch job a --image x --env TOKEN=hunter2")).toEqual(["All commands"]);
  expect(offered("creat job a --image x --env TOKEN=hunter2")).toEqual(["All commands"]);
  expect(offered("create job a --image x --env TOKEN=hunter2 --publsh 80")).toEqual([]);
  expect(offered("login hunter2")).toEqual(["All commands"]);
});

test("a misspelt flag is offered as it was meant", () => {
  expect(offered("list --statsu Running")).toEqual(["list --status Running"]);
  expect(offered("logs web --tial=5")).toEqual(["logs web --tail=5"]);
  expect(offered("list --nonsense")).toEqual([]);
});

test("long input is echoed shortened, without backticks of its own", () => {
  const said = refusal("`" + "x`".repeat(200));

  expect(said.length).toBeLessThan(130);
  expect(said.match(/`/gu)).toHaveLength(4);
  expect(refusal(`scale web 3 ${"y".repeat(500)}`)).toMatch(/doesn't take `y{59}…`/u);
});
