import { expect, test } from "vitest";
import { commands } from "../../src/commands/all.ts";
import { approvalTown } from "../support/approval-town.ts";
import { form, home } from "../support/speak.ts";

const verbs = commands.flatMap(({ name, form: own }) => (own === undefined ? [] : [name]));

/** A service that takes requests and answers none, for as long as anybody waits. */
async function stalledTown() {
  const end = Promise.withResolvers<Response>();
  let isStalled = false;
  const town = await approvalTown({ via: (request, send) => (isStalled ? end.promise : send(request)) });
  isStalled = true;
  return {
    town,
    async [Symbol.asyncDispose]() {
      end.resolve(Response.json({ message: "gone" }, { status: 503 }));
      await town.close();
    },
  };
}

test("every form stands there while the service says nothing at all", async () => {
  await using stalled = await stalledTown();
  const { developer } = stalled.town;
  await developer.opensHome();
  await stalled.town.until(() => home(developer) !== "");

  const opened: string[] = [];
  for (const verb of verbs) {
    // Its trigger dies after 3 s: the simulated Slack refuses a form that comes later.
    await developer.selects("home:do", verb, { home: true });
    await stalled.town.until(() => form(developer) !== "");
    opened.push(verb);
    await developer.dismisses();
  }

  expect(opened).toEqual(verbs);
  expect(verbs.length).toBeGreaterThan(10);
});

test("a form that is to show what is now stands there at once, too, and says what it reads", async () => {
  await using stalled = await stalledTown();
  const { developer } = stalled.town;

  await developer.says("/gantry scale web");
  await stalled.town.until(() => form(developer) !== "");

  expect(form(developer)).toMatch(/Reading web/u);
});
