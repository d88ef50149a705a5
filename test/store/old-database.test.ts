import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { readKeyring } from "../../src/accounts/keyring.ts";
import { createSealer } from "../../src/accounts/seal.ts";
import { digestOf } from "../../src/changes/drift.ts";
import { openChange } from "../../src/workflow/sealed-change.ts";
import { event } from "./contract/bench.ts";
import { folder, open } from "./support/sqlite-folder.ts";

/** Of the Gantry that wrote the file, and of nothing else. */
const KEY = "k6af8ce56:G3ssSigqCwbZPzLmQ7Tj4stRt7xLTgcAkc1Jjf/ajTI=";
const written = readFileSync(join(import.meta.dirname, "support/schema-3.sql"), "utf8");

function folderFromThen(): string {
  const dir = folder();
  mkdirSync(dir, { recursive: true });
  const db = new DatabaseSync(join(dir, "gantry.sqlite"));
  db.exec(written);
  db.close();
  return dir;
}

test("a request that waits in a database of an older Gantry opens, is approved, and is sent once", async () => {
  const sealer = createSealer(readKeyring(KEY));
  const store = await open(folderFromThen(), sealer);

  const [waiting] = await store.pendingChanges("T0PLAYGR");
  expect(waiting).toMatchObject({ id: "J15A4E", reason: "from-before", notice: undefined });
  if (waiting === undefined) throw new Error("nothing waits");
  const { change } = openChange(sealer, waiting);
  expect(change.call).toMatchObject({ op: "restartService", path: { service_name: "web" } });
  // Approvals are for this digest: computed in another way, every old request would count as drifted.
  expect(digestOf(change)).toBe(waiting.digest);

  const events = { voted: event("voted"), approved: event("approved") };
  const vote = await store.vote("J15A4E", { userId: "U0ALEX", name: "Alex Kim" }, events);
  expect(vote).toMatchObject({ kind: "counted", change: { state: "approved" } });
  expect((await store.claim("J15A4E", event("claimed"))).kind).toBe("claimed");
  expect((await store.claim("J15A4E", event("claimed"))).kind).not.toBe("claimed");
});

test("what is done in a database of an older Gantry can be undone once, and its history is read", async () => {
  const store = await open(folderFromThen(), createSealer(readKeyring(KEY)));

  expect(await store.findChange("4AH2V6")).toMatchObject({ state: "done", isUndone: false, diff: ["instances 2 → 3"] });
  expect(await store.undoOf("4AH2V6")).toBeUndefined();
  const results = (await store.history({ teamId: "T0PLAYGR", limit: 9 })).map(({ result }) => result);
  expect(results).toContain("a stop and a new start of every instance; reason: from-before");
});
