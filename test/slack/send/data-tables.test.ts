import { expect, test } from "vitest";
import { newest, world, type World } from "../../support/world.ts";

async function listing({ url }: Request): Promise<Response> {
  const isServices = new URL(url).pathname.endsWith("/services");
  return Response.json(isServices ? { services: [{ name: "web", status: "Running" }] } : { jobs: [] });
}

/** The tables that Slack was sent, in order. */
function tablesSent({ playground }: World): string[] {
  return playground.transcript().flatMap(({ direction, request }) => {
    const sent = direction === "from bot" ? JSON.stringify(request).replaceAll("\\", "") : "";
    return /"type":"(data_table|table)"/u.exec(sent)?.[1] ?? [];
  });
}

async function lists(town: World): Promise<string> {
  await town.developer.says("/gantry list");
  await town.settled();
  return newest(town.developer, "ops");
}

test("a Slack that refuses data tables gets plain ones, and isn't asked twice", async () => {
  await using town = await world({ apiFetch: listing });
  town.playground.faults.answer("response_url", "blocks", { times: 1 });

  const shown = [await lists(town), await lists(town)];

  expect(tablesSent(town)).toEqual(["data_table", "table", "table"]);
  for (const each of shown) expect(each).toContain("🟢 web");
});

test("a Slack that refuses every block gets the text, and data tables again next time", async () => {
  await using town = await world({ apiFetch: listing });
  town.playground.faults.answer("response_url", "blocks", { times: 2 });

  const first = await lists(town);
  const second = await lists(town);

  expect(first).toContain("1 service in beijing1: 🟢 web running");
  expect(second).toContain("🟢 web");
  expect(tablesSent(town)).toEqual(["data_table", "table", "data_table"]);
});
