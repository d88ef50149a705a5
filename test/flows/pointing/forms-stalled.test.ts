import { expect, test } from "vitest";
import { commands } from "../../../src/bot/commands/verbs.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { form, home } from "../../support/speak.ts";

const verbs = commands.flatMap(({ name, form: own }) => (own === undefined ? [] : [name]));

test("every form stands there while the service says nothing at all", async () => {
  await using gated = await gatedTown();
  const { town, hold } = gated;
  const { developer } = town;
  hold();
  await developer.opensHome();
  await town.until(() => home(developer) !== "");

  const opened: string[] = [];
  for (const verb of verbs) {
    // Its trigger dies after 3 s: the simulated Slack refuses a form that comes later.
    await developer.selects("home:do", verb, { home: true });
    await town.until(() => form(developer) !== "");
    opened.push(verb);
    await developer.dismisses();
  }

  expect(opened).toEqual(verbs);
  expect(verbs.length).toBeGreaterThan(10);
});

test("a form that is to show what is now stands there at once, too, and says what it reads", async () => {
  await using gated = await gatedTown();
  const { town, hold } = gated;
  const { developer } = town;
  hold();

  await developer.says("/gantry scale web");
  await town.until(() => form(developer) !== "");

  expect(form(developer)).toMatch(/Loading web/u);
});

test("when the service cannot tell what is now, the form says so and can be filled in all the same", async () => {
  await using gated = await gatedTown();
  const { town, hold, breakDown } = gated;
  const { developer } = town;
  hold();
  await developer.says("/gantry scale web");
  await town.until(() => form(developer) !== "");

  breakDown();
  await town.settled();

  expect(form(developer)).toMatch(/Current values aren't shown, but you can still use this form/u);
  expect(form(developer)).toMatch(/Instances/u);
});
