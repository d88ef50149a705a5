import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card } from "../../support/speak.ts";

test("who comes while another run of the workload is under way waits without asking the service, and runs after it", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let looks = 0;
  await using town = await approvalTown({
    async via(request, send) {
      if (request.method === "PUT") await held;
      return send(request);
    },
    store: (real) => ({
      ...real,
      async open() {
        looks += 1;
        return real.open();
      },
    }),
  });
  const { developer } = town;
  await developer.says("/gantry scale web 3");
  await town.until(() => count(town, "updateService") === 1);
  await developer.says("/gantry domains web add shop.example.com");
  await town.until(async () => (await town.store().open()).length === 2);
  await town.until(() => card(developer).includes("shop.example.com"));

  const calls = town.calls().length;
  const before = looks;
  const sweeps = Promise.all([town.sweep(), town.sweep(), town.sweep()]);
  await town.until(() => looks >= before + 3);
  const callsMeanwhile = town.calls().length - calls;
  release();
  await sweeps;
  town.passMinutes(1);
  await town.sweep();
  await town.settled();

  expect(callsMeanwhile).toBe(0);
  expect(count(town, "updateService")).toBe(2);
  expect((await town.service("web")).binding_domain_name).toEqual(["shop.example.com"]);
});
