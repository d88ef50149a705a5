// Runs an engine until it is killed: `engine-script.ts DATA_DIR`. Says "ready" when the engine is open, does what stdin asks
// for in lines of JSON, and says what was answered.
import { createInterface } from "node:readline";
import { openEngine, userOf } from "./engine-world.ts";

export type User = ReturnType<typeof userOf>;
/** One of a user's words, and what it is given. */
export type Asked = { readonly op: keyof User; readonly args: readonly unknown[] };

const { engine, close } = await openEngine(process.argv[2] ?? "", { allowHostCommands: true });
const dana = userOf(engine);

process.stdout.write("ready\n");

for await (const line of createInterface(process.stdin)) {
  const { op, args } = JSON.parse(line) as Asked; // from engine-process.ts
  const run = dana[op] as (...args: readonly unknown[]) => Promise<unknown>; // with what it takes
  process.stdout.write(`${JSON.stringify((await run(...args)) ?? null)}\n`);
}
await close();
