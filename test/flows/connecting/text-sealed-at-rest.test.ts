import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { clicks, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** All bytes of the database on disk. */
function onDisk({ dataDir }: World): string {
  return readdirSync(dataDir)
    .filter((name) => name.startsWith("gantry.sqlite"))
    .map((name) => readFileSync(join(dataDir, name), "latin1"))
    .join("\n");
}

/** The log at its default level. */
function logLines(town: World): string {
  return JSON.stringify(town.logged().filter(({ level }) => Number(level) >= 30));
}

test("text that people typed is in history for those who may see it, but not in the log and not readable in the database", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web --reason swordfish-reason");
  await clicks(town, approver, "Reject");
  await approver.submits({ reason: "marlin-reason" });
  await town.settled();
  await says(town, developer, "/gantry create service barracuda --image test/web --env TUNA_NAME=1");
  await says(town, town.guest, "/gantry scale salmon-typo 4");
  await says(town, developer, "/gantry logs web --grep (herring-expression");
  await says(town, developer, "/gantry shoow trout-verb");

  await says(town, developer, "/gantry history --json");
  const [file] = developer.sees("@gantry").flatMap(({ files }) => files);
  const seen = `${await says(town, developer, "/gantry history")}\n${file?.content}`;

  for (const word of ["swordfish-reason", "marlin-reason", "TUNA_NAME"]) {
    expect(seen, word).toContain(word);
    expect(onDisk(town), word).not.toContain(word);
  }
  for (const word of [
    "swordfish-reason",
    "marlin-reason",
    "TUNA_NAME",
    "salmon-typo",
    "herring-expression",
    "trout-verb",
  ]) {
    expect(logLines(town), word).not.toContain(word);
  }
  // Which Change it was is logged, so that log and history can be put together.
  const [row] = (await town.store().history({ teamId: "T0PLAYGR", limit: 50 })).filter(
    ({ kind }) => kind === "rejected",
  );
  expect(logLines(town)).toContain(String(row?.changeId));
  expect(row?.result).toContain("marlin-reason");
});
