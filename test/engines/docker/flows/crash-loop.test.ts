import { describe, expect, test } from "vitest";
import { testDaemons } from "../../../support/docker.ts";
import { tellsWhy, toldOfCrashLoop } from "../../support/crash-loop.ts";
import { townOnDocker } from "../support/docker-town.ts";

for (const daemon of await testDaemons()) {
  const { title, image, missing } = daemon;
  describe.skipIf(missing !== undefined)(`a watch on ${title}`, () => {
    test("a crash loop is in the channel within ten seconds of its second restart, with its reason and last lines", async () => {
      await using town = await townOnDocker(daemon);

      const told = await toldOfCrashLoop(town, image);

      expect(told).toEqual({ card: expect.stringMatching(tellsWhy), isInTime: true });
    });
  });
}
