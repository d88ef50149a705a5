import { expect, test } from "vitest";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { withRegionsOf } from "../../../src/bot/compose/gantry.ts";
import type { EngineAbout } from "../../../src/service/engine.ts";

const region = (name: string, jobs: boolean) => ({ name, version: "v1.20.2", services: true, jobs, cannot: [] });
const about: EngineAbout = {
  name: "kubernetes",
  title: "Kubernetes",
  regions: [region("home", false), region("eu", true), region("us", true)],
  updates: [],
};
const { settings } = readConfig({ SERVICE_ENGINE: "kubernetes" });

test("the regions are the engine's: the first for services, the first with jobs for jobs", () => {
  expect(withRegionsOf(about, settings, {})).toEqual({
    ...settings,
    region: "home",
    regions: ["home", "eu", "us"],
    jobsRegion: "eu",
  });
});

test("the operator's choice counts, if the engine has it", () => {
  expect(withRegionsOf(about, settings, { region: "eu", jobsRegion: "us" })).toMatchObject({
    region: "eu",
    jobsRegion: "us",
  });
  expect(() => withRegionsOf(about, settings, { region: "mars", jobsRegion: "home" })).toThrow(
    "- WORKLOAD_REGION must be home or eu or us, or unset.\n- WORKLOAD_JOBS_REGION must be eu or us, or unset.",
  );
});
