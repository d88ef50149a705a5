import { expect, onTestFinished, test } from "vitest";
import { stillClock } from "../../../support/test-clock.ts";
import { watchDisk } from "../../../../src/service/engines/docker/daemon/daemon-health.ts";

function disk(first: number | undefined) {
  const clock = stillClock();
  const [events, state] = [[] as string[], { free: first }];
  const watch = watchDisk({
    clock,
    freeBytes: async () => {
      if (state.free === undefined) throw new Error("ENOENT");
      return state.free;
    },
    onEvent: (message) => events.push(message),
  });
  onTestFinished(() => watch.close());
  return { watch, events, state, looked: () => clock.passMs(1_000) };
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
