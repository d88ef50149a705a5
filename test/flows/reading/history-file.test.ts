import { expect, test } from "vitest";
import { z } from "zod";
import { approvalTown } from "../../support/approval-town.ts";
import { clicks, says, whispers } from "../../support/speak.ts";

/** The part of a row in the file that this test reads. */
const Row = z.object({ event: z.string(), who: z.object({ id: z.string(), name: z.string() }).nullable() });

test("--json gives a file with the rows, for the asker alone", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");

  const told = await says(town, developer, "/gantry history --json");

  expect(told).toContain("Only you should see this file");
  expect(whispers(developer)).toContain(told);
  expect(developer.sees("ops").flatMap(({ files }) => files)).toEqual([]);
  expect(approver.sees("@gantry")).toEqual([]);
  const file = developer
    .sees("@gantry")
    .flatMap(({ files }) => files)
    .at(-1);
  expect(file?.name).toMatch(/\.json/u);
  const inFile = z.array(Row).parse(JSON.parse(file?.content ?? ""));
  expect(inFile.map(({ event }) => event)).toEqual(["done", "claimed", "requested"]);
  expect(inFile.at(-1)?.who).toEqual({ id: "U0DANA", name: "Dana Reyes" });
});

test("--json that is asked for in the conversation with Gantry is answered there, and nothing more is said", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry scale web 3");

  await developer.says("/gantry history --json", { channel: "@gantry" });
  await town.settled();

  const seen = developer.sees("@gantry");
  expect(seen.flatMap(({ files }) => files)).toHaveLength(1);
  expect(seen.map(({ text }) => text).join("\n")).not.toContain("in your conversation");
});

test("when Slack does not take the file, the asker is told, and can see outcomes instead", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, "/gantry scale web 3");
  town.playground.faults.answer("chat.postMessage", "500");

  const told = await says(town, town.developer, "/gantry history --json");

  expect(told).toContain("Couldn't send the file: Slack didn't accept it.");
  town.playground.faults.clear();
  expect(await clicks(town, town.developer, "Show here")).toMatch(/web scaled 2 → 3.* · requested by Dana Reyes/u);
});
