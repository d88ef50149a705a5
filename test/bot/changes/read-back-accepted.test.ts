import { describe, expect, test } from "vitest";
import type { Change } from "../../../src/bot/changes/change.ts";
import { memoryTo, plain, toFour } from "./support/changes.ts";
import { deps, outcomeOf, service } from "./support/execution.ts";
import { gone, inTurn, scripted, unreadable } from "./support/scripted.ts";

describe("a write that was accepted", () => {
  test("and changes nothing is asked: some APIs show it only later, so it is followed", async () => {
    const { api, sent } = scripted(({ op }) => (op === "getService" ? service(2) : {}));

    const outcome = await outcomeOf(memoryTo(1024), deps(api));

    expect(outcome).toMatchObject({ kind: "asked", why: "Not visible yet: memory still 512 MiB." });
    expect(sent).toEqual(["updateService", "getService", "getService"]);
  });

  test("and shows nothing in the one read that came back is asked, not failed", async () => {
    const reads = inTurn(service(2), unreadable);
    const { api } = scripted(({ op }) => (op === "getService" ? reads() : {}));

    const outcome = await outcomeOf(toFour, deps(api));

    expect(outcome).toMatchObject({ kind: "asked", why: "Not visible yet: instances still 2." });
  });

  test("as a restart is asked, never claimed to have taken effect", async () => {
    const { api, sent } = scripted(({ op }) => (op === "getService" ? service(2) : {}));

    const outcome = await outcomeOf(plain("restartService"), deps(api));

    expect(outcome).toMatchObject({ kind: "asked", why: expect.stringContaining("doesn't report restarts") });
    expect(sent).toEqual(["restartService", "getService"]);
  });

  test("and cannot be read back is asked, not failed", async () => {
    const { api } = scripted(({ op }) => {
      if (op === "getService") throw unreadable;
      return {};
    });

    expect(await outcomeOf(toFour, deps(api))).toMatchObject({ kind: "asked" });
  });

  test("as a deletion took effect when the workload is no longer there", async () => {
    const { api } = scripted(({ op }) => {
      if (op === "getService") throw gone;
      return "Service was deleted successfully";
    });

    expect(await outcomeOf(plain("deleteService"), deps(api))).toMatchObject({ kind: "done", after: undefined });
  });

  test("to a service that was made anew meanwhile is asked", async () => {
    const { api } = scripted(({ op }) => (op === "getService" ? { ...service(4), uid: "u2" } : {}));

    expect(await outcomeOf(toFour, deps(api))).toMatchObject({
      kind: "asked",
      why: "It was deleted and created again meanwhile.",
    });
  });

  test("is looked at at once when it is an update, and once more after two seconds", async () => {
    const pausesMs = async (change: Change, sizes: readonly number[]): Promise<readonly number[]> => {
      const pauses: number[] = [];
      const reads = inTurn(...sizes.map((size) => service(size)));
      const { api } = scripted(({ op }) => (op === "getService" ? reads() : {}));
      await outcomeOf(change, deps(api, { wait: async (ms) => void pauses.push(ms) }));
      return pauses;
    };

    expect(await pausesMs(toFour, [4])).toEqual([]);
    expect(await pausesMs(toFour, [2, 4])).toEqual([2_000]);
    expect(await pausesMs(plain("stopService"), [2])).toEqual([250, 1_750]);
  });
});
