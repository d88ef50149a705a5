import { expect, test } from "vitest";
import { newest, world, type World } from "../../../support/world.ts";

async function listing({ url }: Request): Promise<Response> {
  const isServices = new URL(url).pathname.endsWith("/services");
  return Response.json(isServices ? { services: [{ name: "web", status: "Running" }] } : { jobs: [] });
}

async function lists(town: World): Promise<string> {
  await town.developer.says("/gantry list");
  await town.settled();
  return newest(town.developer, "ops");
}

test("a Slack that refuses the blocks of a list gets its text, and the blocks again next time", async () => {
  await using town = await world({ apiFetch: listing });
  town.playground.faults.answer("response_url", "blocks", { times: 1 });

  const first = await lists(town);
  const second = await lists(town);

  expect(first).toContain("1 service in beijing1: 🟢 web running");
  expect(first).toContain("Couldn't show the buttons.");
  expect(second).toContain("🟢 web · running");
  expect(second).toContain("[Act on… ▾]");
});
