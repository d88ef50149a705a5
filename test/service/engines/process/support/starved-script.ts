// An engine without open files: `starved-script.ts DATA_DIR`, started under a low limit. It takes all but `LEFT` of its
// descriptors, asks for workloads, gives the descriptors back, and prints what it saw as one line of JSON.
import { closeSync, openSync } from "node:fs";
import type { KyselyPlugin } from "kysely";
import type { StateTables } from "../../../../../src/service/workloads/state/store.ts";
import { openSqlite } from "../../../../../src/platform/database/sqlite.ts";
import { openEngine, until, userOf } from "./engine-world.ts";

const dataDir = process.argv[2] ?? "";
const first = await openEngine(dataDir);
const before = userOf(first.engine);
const web = { containers: [{ image: "gantry/hello-web" }], port_mappings: [{ container_port: 8080 }] };
await before.create("kept", web);
await before.reaches("kept", "Running");

const listeners = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;

function take(left: number): number[] {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    for (const file of held.splice(held.length - left)) closeSync(file);
    return held;
  }
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "taken",
    (error: unknown) => `${Object(error).status} ${Object(error).message}`,
  );
}

// Three listeners fit, the fourth does not.
const listenersBefore = listeners();
const heldForPorts = take(3);
const port_mappings = [1, 2, 3, 4, 5].map((container_port) => ({ container_port }));
const ports = await refusal(before.create("ports", { ...web, target_instance_size: 0, port_mappings }));
for (const file of heldForPorts) closeSync(file);
await until(() => listeners() === listenersBefore, "the listeners to be closed");

const held = take(1);
const created = await refusal(before.create("starved", { containers: [{ image: "gantry/worker" }] }));
const job = await refusal(before.createJob("later", { containers: [{ image: "gantry/batch", command: ["1"] }] }));
const failed = await until(async () => (await before.read("starved")).status === "Failed", "the starts to fail");
for (const file of held) closeSync(file);
await before.reaches("starved", "Running");
const lines = (await before.logs("starved")).map(({ log }) => log);

// The next engine has read what it has to bring back, and then there is no descriptor for the port of the service.
await first.close();
const heldAtStart: number[] = [];
const starving: KyselyPlugin = {
  transformQuery({ node }) {
    if (node.kind === "SelectQueryNode" && JSON.stringify(node.from).includes('"jobs"')) heldAtStart.push(...take(0));
    return node;
  },
  transformResult: async ({ result }) => result,
};
const second = await openEngine(dataDir, {
  openState: (path) => openSqlite<StateTables>(path).withPlugin(starving),
});
const after = userOf(second.engine);
const { status, message: reason } = await after.read("kept");
for (const file of heldAtStart) closeSync(file);
await after.reaches("kept", "Running");
await second.close();
const said = lines.find((line) => line.includes("EMFILE"));
process.stdout.write(`${JSON.stringify({ ports, created, job, failed, said, status, reason })}\n`);
