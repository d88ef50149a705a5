import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallWorld, startSmallWorld } from "../../support/small-world.ts";
import { deletionConduct } from "./deletions.ts";
import { eventConduct } from "./events.ts";
import { interactionConduct } from "./interactions.ts";
import { modalConduct } from "./modals.ts";
import { peopleConduct } from "./people.ts";

// The workspace's own behaviour: a step that shows each fact, and what must not happen one step further.

let world: SmallWorld;
let also: SmallWorld[] = [];
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await Promise.all([world, ...also].map((each) => each.stop()));
  also = [];
});

/** Another workspace, for an app with other settings. */
async function another(changes: Parameters<typeof startSmallWorld>[0]): Promise<SmallWorld> {
  const made = await startSmallWorld(changes);
  also = [...also, made];
  return made;
}

/** Those of Socket Mode are in sockets/. */
const shown: Readonly<Record<string, () => Promise<void>>> = {
  ...deletionConduct(() => world, another),
  ...eventConduct(() => world, another),
  ...interactionConduct(() => world),
  ...modalConduct(() => world),
  ...peopleConduct(() => world, another),
};

test.each(Object.entries(shown))("%s", async (_id, show) => {
  expect.hasAssertions();

  await show();
});
