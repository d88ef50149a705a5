import { expect, test } from "vitest";
import { makePullProgress } from "../../../../../src/service/engines/docker/images/pull-progress.ts";

const downloading = (id: string, current: number) => ({ id, status: "Downloading", progressDetail: { current } });

test("a download that breaks off again and again is no progress", () => {
  const progress = makePullProgress();
  const moved = [
    { id: "1", status: "Pulling from team/app" },
    { id: "a", status: "Pulling fs layer", progressDetail: {} },
    downloading("a", 200),
    { id: "a", status: "Retrying in 2 seconds" },
    { id: "a", status: "Retrying in 1 second" },
    downloading("a", 100),
    downloading("a", 200),
    downloading("a", 300),
  ].map((line) => progress.take(line));
  expect(moved).toEqual([true, true, true, true, false, false, false, true]);
});

test("layers that are unpacked or wait for their turn expect nothing of the registry", () => {
  const progress = makePullProgress();
  expect([progress.expectsData(), progress.text()]).toEqual([true, undefined]);
  progress.take({ id: "a", status: "Already exists" });
  progress.take({ id: "b", status: "Pulling fs layer" });
  progress.take(downloading("b", 40_000_000));
  expect([progress.expectsData(), progress.text()]).toEqual([true, "1 of 2 layers, 40 MB"]);
  progress.take({ id: "b", status: "Download complete" });
  progress.take({ id: "b", status: "Extracting", progressDetail: { current: 1 } });
  progress.take({ id: "c", status: "Waiting" });
  expect([progress.expectsData(), progress.text()]).toEqual([false, "2 of 3 layers, 40 MB"]);
});
