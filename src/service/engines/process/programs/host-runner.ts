// Runs a host command (image `host`, if allowed): its arguments are the argv, without a shell. It remains the parent of
// the command, so that the command ends when the server dies (lifeline.ts).
import { spawn } from "node:child_process";
import { constants } from "node:os";

const [file = "", ...args] = process.argv.slice(2);
const command = spawn(file, args, { stdio: ["ignore", "inherit", "inherit"] });

// The engine signals the whole process group, so the command has the signal. This process waits for its end.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);

command.on("error", (error) => {
  process.stderr.write(`can't run ${file}: ${error.message}\n`);
  process.exit(127);
});
command.on("exit", (code, signal) => {
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
});
