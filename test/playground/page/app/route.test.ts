import { describe, expect, test } from "vitest";
import { formatRoute, parseRoute, type Route, routeChannel } from "../../../../src/playground/page/app/workspace.ts";
import { snapshot } from "../../support/wire-samples.ts";

describe("the address", () => {
  test.each<readonly [string, Route]>([
    ["", { as: "dana", in: "ops" }],
    ["?as=alex", { as: "alex", in: "ops" }],
    ["?as=alex&in=@gantry&tab=home", { as: "alex", in: "@gantry", tab: "home" }],
    ["?as=dana&in=ops&thread=1.2", { as: "dana", in: "ops", thread: "1.2" }],
  ])("%s is parsed to a route and formatted back", (search, route) => {
    expect(parseRoute(search)).toEqual(route);
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  test.each([
    ["general", "C0GENERAL"],
    ["@gantry", "D0BOT"],
    ["a-channel-one-is-not-in", "C0OPS"],
  ])("%s is a channel", (name, id) => {
    expect(routeChannel(snapshot, { as: "dana", in: name })?.id).toBe(id);
  });
});
