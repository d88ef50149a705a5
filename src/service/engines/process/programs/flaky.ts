// gantry/flaky: works for a while, then crashes.
import { argumentsOf, print } from "./program.ts";

const usage = "[--after MS] [--exit CODE], or AFTER_MS in the environment";
const { values, refuse } = argumentsOf(usage, ["after", "exit"]);
const afterMs = Number(values.after ?? process.env["AFTER_MS"] ?? 30_000);
const code = Number(values.exit ?? 1);
if (!Number.isInteger(afterMs) || afterMs < 0) refuse("--after takes a number of milliseconds");
if (!Number.isInteger(code) || code < 0 || code > 255) refuse("--exit takes a number from 0 to 255");
print("started, all is well so far");
setTimeout(
  () => {
    print(`${new Error("lost the connection to the database").stack}`, { to: process.stderr });
    process.exit(code);
  },
  afterMs * (0.5 + Math.random()),
);

process.on("SIGTERM", () => {
  print("stopping");
  process.exit(0);
});
