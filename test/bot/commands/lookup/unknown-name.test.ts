import { expect, test } from "vitest";
import { answerTo, scripted } from "../support/script.ts";

test("the very name that was asked for isn't suggested, though a recent list has it: the job was cleaned up since", async () => {
  const script = scripted();
  const { directory, settings } = script.context;
  const entries = ["nightly-29345220", "nightly-29345221"].map((name) => ({ name, status: "complete" }));
  directory.remember("dana", "job", { region: settings.jobsRegion, entries });
  directory.remember("dana", "service", { region: settings.region, entries: [] });

  for (const asked of ["show job/nightly-29345220", "why nightly-29345220"]) {
    await expect(answerTo(asked, script)).rejects.toMatchObject({
      next: "Did you mean `nightly-29345221`?",
      suggestions: [expect.objectContaining({ label: expect.stringContaining("nightly-29345221") as unknown })], // a matcher of vitest
    });
  }
});
