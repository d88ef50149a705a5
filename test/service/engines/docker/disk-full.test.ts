import { expect, onTestFinished, test } from "vitest";
import { watchDisk } from "../../../../src/service/engines/docker/daemon/disk-watch.ts";
import { until } from "../../../support/until.ts";

function disk(first: number | undefined) {
  const [events, state] = [[] as string[], { free: first, looks: 0 }];
  const watch = watchDisk({
    freeBytes: async () => {
      state.looks += 1;
      if (state.free === undefined) throw new Error("ENOENT");
      return state.free;
    },
    onEvent: (message) => events.push(message),
    everyMs: 1,
  });
  onTestFinished(() => watch.close());
  const looked = async () => {
    const before = state.looks;
    await until(() => state.looks > before + 2);
  };
  return { watch, events, state, looked };
}

const full = "the disk of the machine is full: lines from here on can be missing";
const free = "the disk of the machine has space again: lines before this one can be missing";

test("each log says once where its lines can be missing because the daemon's disk is full, and until where", async () => {
  const { watch, events, state, looked } = disk(1_000_000);
  const [web, late, gone]: string[][] = [[], [], []];
  watch.follow((text) => web?.push(text));
  const leave = watch.follow((text) => gone?.push(text));
  await looked();
  expect(web).toEqual([]);

  state.free = 0;
  await looked();
  leave();
  watch.follow((text) => late?.push(text));
  state.free = 1_000_000;
  await looked();

  expect([web, late, gone]).toEqual([[full, free], [full, free], [full]]);
  expect(events).toEqual(["the daemon's disk is full", "the daemon's disk has space again"]);
});

test("nothing is said of a disk that can't be looked at", async () => {
  const { watch, events, looked } = disk(undefined);
  const lines: string[] = [];
  watch.follow((text) => lines.push(text));

  await looked();

  expect([lines, events]).toEqual([[], []]);
});
