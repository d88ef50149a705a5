// Runs an engine until it is killed: `engine-script.ts DATA_DIR`. Says "ready" when the engine is open, creates what
// stdin asks for in lines of JSON, and says what it created.
import { createInterface } from "node:readline";
import type { NewService, ServiceUpdate } from "../../../../../src/api/schema.ts";
import { openEngine, userOf } from "./engine-world.ts";

const { engine, close } = await openEngine(process.argv[2] ?? "", { allowHostCommands: true });
const dana = userOf(engine);
type Asked = {
  job?: string;
  service?: string;
  remove?: string;
  readJob?: string;
  read?: string;
  update?: string;
  body: NewService;
  change: ServiceUpdate;
};

function answer(asked: Asked): Promise<unknown> {
  if (asked.job) return dana.createJob(asked.job, asked.body);
  if (asked.readJob) return dana.readJob(asked.readJob);
  if (asked.read) return dana.read(asked.read);
  if (asked.update) return dana.update(asked.update, asked.change);
  return asked.remove ? dana.remove(asked.remove) : dana.create(asked.service ?? "", asked.body);
}

process.stdout.write("ready\n");

for await (const line of createInterface(process.stdin)) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
await close();
