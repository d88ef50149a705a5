import fc from "fast-check";
import { expect, test } from "vitest";
import { changedEnv, cutVariables, variablesIn } from "../../../../src/bot/compose/setup/env-file.ts";

const before = `# Gantry of the shop team
export SLACK_BOT_TOKEN=xoxb-old
PORT=8080  # behind nginx
NOTE="two
SLACK_APP_TOKEN=not a variable
lines"
SLACK_SIGNING_SECRET=the-old-secret
SLACK_BOT_TOKEN=xoxb-older
`;

test("values change in their places, and all other lines stay", () => {
  const changes = { SLACK_BOT_TOKEN: "xoxb-new", SLACK_SIGNING_SECRET: undefined, SLACK_APP_TOKEN: "xapp-new" };

  expect(changedEnv(before, changes)).toBe(`# Gantry of the shop team
SLACK_BOT_TOKEN=xoxb-new
PORT=8080  # behind nginx
NOTE="two
SLACK_APP_TOKEN=not a variable
lines"
SLACK_APP_TOKEN=xapp-new
`);
});

test.each([
  ["TOKEN=abc#def", ["TOKEN"]],
  ["export TOKEN= abc#", ["TOKEN"]],
  ["TOKEN=#abc", ["TOKEN"]],
  ["TOKEN=abc # a comment", []],
  ["TOKEN= # a comment", []],
  ["TOKEN='abc#def'", []],
  ['TOKEN= "abc#def"#', []],
  ["# TOKEN=abc#def", []],
  ['NOTE="two\nTOKEN=abc#def\nlines"', []],
])("%j: values that Node cuts at a #: %j", (text, names) => {
  expect(cutVariables(`PORT=1\n${text}\n`)).toEqual(names);
});

test("a second run with the same answers changes nothing", () => {
  const once = changedEnv(before, { SLACK_BOT_TOKEN: "xoxb-new" });

  expect(changedEnv(once, { SLACK_BOT_TOKEN: "xoxb-new", SLACK_APP_TOKEN: undefined })).toBe(once);
  expect(changedEnv("", {})).toBe("");
});

test("Node reads every value as it was given, and the lines around it as before", () => {
  const value = fc.string({ unit: "grapheme" }).filter((each) => !/[\r\n]/u.test(each) && !/'.*"|".*'/u.test(each));
  fc.assert(
    fc.property(value, (each) => {
      const read = variablesIn(changedEnv("A=1\n# a comment\nB='2'\n", { TOKEN: each, B: undefined }));
      expect(read).toEqual({ A: "1", TOKEN: each });
    }),
  );
});
