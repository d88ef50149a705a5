import { expect, test } from "vitest";
import { newest, world } from "../../support/world.ts";

/** A service of the API with this many services and no jobs. */
function serviceWith(count: number): (request: Request) => Promise<Response> {
  const services = Array.from({ length: count }, (_, at) => ({
    uid: `u${at}`,
    name: `svc-${String(at + 1).padStart(4, "0")}`,
    created_at: "2026-11-20T09:30:00Z",
    status: at % 3 === 0 ? "Stopped" : "Running",
    target_instance_size: 2,
    containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }],
    default_domain_name: `127.0.0.1:${30_000 + at}`,
  }));
  return async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/services")) return Response.json({ region: "beijing1", services });
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    return Response.json({ message: "no such thing" }, { status: 404 });
  };
}

test("2,000 services are paged by buttons, forward and back", async () => {
  await using town = await world({ apiFetch: serviceWith(2000) });
  const { developer } = town;
  await developer.says("/gantry list services");
  await town.settled();
  expect(newest(developer)).toContain("1–10 of 2,000");
  expect(newest(developer)).not.toContain("[Back]");

  await developer.clicks("Next");
  await town.settled();
  expect(newest(developer)).toContain("11–20 of 2,000");
  expect(newest(developer)).toContain("svc-0011");

  await developer.clicks("Back");
  await town.settled();
  expect(newest(developer)).toContain("1–10 of 2,000");
});

test("a page stands in its own button: Next works after a restart of the bot, with the filter kept", async () => {
  await using town = await world({ apiFetch: serviceWith(2000) });
  const { developer } = town;
  await developer.says("/gantry list services svc --status stopped");
  await town.settled();

  await town.restartBot();
  await developer.clicks("Next");
  await town.settled();

  expect(newest(developer)).toContain("11–20 of 667");
  expect(newest(developer)).not.toContain("running");
});

test("Next works 31 minutes later, because each click answers through its own response_url", async () => {
  await using town = await world({ apiFetch: serviceWith(25) });
  const { developer } = town;
  await developer.says("/gantry list services");
  await town.settled();

  town.passMinutes(31);
  await developer.clicks("Next");
  await town.settled();

  expect(newest(developer)).toContain("11–20 of 25");
});

test("a list is for the asker only, unless it is shared", async () => {
  await using town = await world({ apiFetch: serviceWith(12) });
  const { developer, approver } = town;

  await developer.says("/gantry list services");
  await town.settled();
  expect(approver.sees("ops")).toEqual([]);

  await developer.says("/gantry list services --share");
  await town.settled();
  expect(newest(approver)).toContain("1–10 of 12");

  await approver.clicks("Next");
  await town.settled();
  expect(newest(developer)).toContain("11–12 of 12");
});

test("what no service matches is said, and is not the same as nothing being there", async () => {
  await using town = await world({ apiFetch: serviceWith(3) });
  const { developer } = town;

  await developer.says("/gantry list zebra");
  await town.settled();

  expect(newest(developer)).toContain("Nothing matches: name contains “zebra”. Without the filter: 3 services");

  await developer.clicks("Show all");
  await town.settled();
  expect(newest(developer)).toContain("svc-0003");
});

test("one kind that cannot be read does not hide the other", async () => {
  const services = serviceWith(2);
  await using town = await world({
    apiFetch: async (request) =>
      request.url.endsWith("/jobs")
        ? Response.json({ message: "jobs are being moved" }, { status: 403 })
        : services(request),
  });
  const { developer } = town;

  await developer.says("/gantry list");
  await town.settled();

  expect(newest(developer)).toContain("svc-0001");
  expect(newest(developer)).toContain("Couldn't list the jobs: ");
});

test("entries without a name are counted, not hidden", async () => {
  await using town = await world({
    apiFetch: async ({ url }) =>
      url.endsWith("/jobs")
        ? Response.json({ jobs: null })
        : Response.json({ region: "beijing1", services: [{ name: "web" }, { status: "Running" }, null] }),
  });
  const { developer } = town;

  await developer.says("/gantry list");
  await town.settled();

  expect(newest(developer)).toContain("web");
  expect(newest(developer)).toContain("2 services can't be listed, because the workload API sent no name.");
});

test("what the workload API can't list is said under the list, in its own words", async () => {
  const sentence = "DaemonSets aren't listed: Gantry's account may not list daemonsets. Add the verb to its Role.";
  await using town = await world({
    apiFetch: async ({ url }) =>
      Response.json(url.endsWith("/jobs") ? { jobs: [] } : { services: [{ name: "web" }], not_listed: [sentence] }),
  });
  const { developer } = town;

  await developer.says("/gantry list");
  await town.settled();

  expect(newest(developer)).toContain("web");
  expect(newest(developer)).toContain(sentence);
});
