import { expect, test } from "vitest";
import { type World, world } from "../support/world.ts";

/** What one command costs: calls of the API, and calls of Slack beyond the pages of its thread. */
async function cost(town: World, text: string): Promise<{ api: number; slack: number }> {
  const apiBefore = town.calls().length;
  const slackBefore = slackCalls(town);
  await town.developer.says(text);
  await town.settled();
  return { api: town.calls().length - apiBefore, slack: slackCalls(town) - slackBefore };
}

/** A reply in a thread is a page of it. */
function slackCalls({ playground }: World): number {
  return playground
    .transcript()
    .filter(({ direction, request }) => direction === "from bot" && !JSON.stringify(request).includes("thread_ts"))
    .length;
}

test("a read costs at most two calls of the API and two of Slack", async () => {
  await using town = await world();
  await cost(town, "/gantry create service web --image gantry/hello-web");
  await cost(town, "/gantry create job once --image gantry/batch -- 1");
  await town.until(async () => (await town.job("once")).status?.succeeded === 1);

  for (const text of [
    "list",
    "list services",
    "show web",
    "show job/once",
    "logs web",
    "logs job/once",
    "whoami",
    "help",
  ]) {
    const { api, slack } = await cost(town, `/gantry ${text}`);
    expect(api, text).toBeLessThanOrEqual(2);
    expect(slack, text).toBeLessThanOrEqual(2);
  }
});

test("a write costs at most five calls of the API and one of Slack", async () => {
  await using town = await world();
  const running = async (): Promise<boolean> => (await town.service("web")).status === "Running";
  const writes = [
    "create service web --image gantry/hello-web --memory 512",
    "scale web 2",
    "memory web 1024",
    "domains web add shop.example.com",
    "restart web",
    "stop web",
    "start web",
    "delete web",
  ];

  for (const text of writes) {
    const { api, slack } = await cost(town, `/gantry ${text}`);
    expect(api, text).toBeLessThanOrEqual(5);
    expect(slack, text).toBeLessThanOrEqual(1);
    if (text.startsWith("stop")) await town.until(async () => (await town.service("web")).status === "Stopped");
    else if (!text.startsWith("delete")) await town.until(running);
  }
});
