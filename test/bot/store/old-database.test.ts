import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readKeyring, createSealer } from "../../../src/bot/accounts/seal.ts";
import { digestOf } from "../../../src/bot/changes/drift.ts";
import { contentOf } from "../../../src/bot/workflow/stored-request.ts";
import { event } from "./contract/bench.ts";
import { says } from "../../support/speak.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { world, type World } from "../../support/world.ts";
import { writeDatabase } from "../../support/write-database.ts";
import { folder, open } from "./support/sqlite-folder.ts";

/** Of the Gantry that wrote the file, and of nothing else. */
const KEY = "k6af8ce56:G3ssSigqCwbZPzLmQ7Tj4stRt7xLTgcAkc1Jjf/ajTI=";
const written = readFileSync(join(import.meta.dirname, "support/schema-3.sql"), "utf8");

function folderFromThen(): string {
  const dir = folder();
  writeDatabase(dir, written);
  return dir;
}

test("a request that waits in a database of an older Gantry opens, is approved, and is sent once", async () => {
  const sealer = createSealer(readKeyring(KEY));
  const store = await open(folderFromThen(), sealer);

  const [waiting] = await store.pendingChanges("T0PLAYGR");
  expect(waiting).toMatchObject({ id: "J15A4E", reason: "from-before", notice: undefined });
  if (waiting === undefined) throw new Error("nothing waits");
  const change = contentOf(sealer, waiting)?.change;
  if (change === undefined) throw new Error("its content can't be opened");
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

/** The service as that Gantry saw it, and the writes that come in. */
function serviceFromThen(writes: string[], instances: number) {
  const web = {
    name: "web",
    uid: "f0ea9346-5e29-4bac-b697-6e75331e8a84",
    status: "Running",
    target_instance_size: instances,
    containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "256" } } }],
  };
  return async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method !== "GET") {
      writes.push(`${request.method} ${pathname.split("/services/")[1]}`);
      return Response.json({});
    }
    return Response.json(pathname.endsWith("/services/web") ? web : { services: [web], jobs: [] });
  };
}

/** A delivery that 893f393 had stored and not finished: its row, sealed as `slack/deed.ts` did then. */
function leftDelivery(id: string, deed: object): string {
  const place = { teamId: "T0PLAYGR", channelId: "C0OPS" };
  const user = id === "approval" ? "U0ALEX" : "U0DANA";
  const text = JSON.stringify({ ...deed, place: { ...place, userId: user } });
  const sealed = createSealer(readKeyring(KEY)).seal(text, ["delivery", id]);
  return `insert into "delivery" (id, received_at, sealed, owner, finished_at)
    values ('${id}', '${BEGINNING.toISOString()}', '${sealed}', null, null);`;
}

async function states(town: World): Promise<Readonly<Record<string, string | undefined>>> {
  const both = ["J15A4E", "4AH2V6"];
  const found = await Promise.all(both.map((id) => town.store().find({ id })));
  return Object.fromEntries(both.map((id, index) => [id, found[index]?.state]));
}

test("after an update of Gantry, what waited in its database is approved by a command and runs once", async () => {
  const writes: string[] = [];
  await using town = await world({ apiFetch: serviceFromThen(writes, 2), database: { sql: written, keys: KEY } });

  await says(town, town.approver, "/gantry approve J15A4E");
  await town.sweep();

  expect(writes).toEqual(["PUT web/restart"]);
  expect(await states(town)).toEqual({ J15A4E: "done", "4AH2V6": "done" });
});

test("after an update of Gantry, deliveries that it had stored under their earlier names are carried out", async () => {
  const writes: string[] = [];
  const left = [
    leftDelivery("approval", { kind: "decide", decision: "approve", changeId: "J15A4E" }),
    leftDelivery("undo", { kind: "anew", how: "undo", changeId: "4AH2V6" }),
  ];
  const database = { sql: [written, ...left].join("\n"), keys: KEY };
  await using town = await world({ apiFetch: serviceFromThen(writes, 3), database });

  await town.sweep();
  await town.sweep();

  expect(writes).toEqual(["PUT web/restart"]);
  expect(await states(town)).toMatchObject({ J15A4E: "done" });
  expect(await town.store().find({ undoOf: "4AH2V6" })).toBeDefined();
});
