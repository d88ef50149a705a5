// Loaded (`--import`) before every program that the process engine starts. Two things come through stdin:
// - the first line is the container's environment as JSON. It is not given to the operating system's exec, so that
//   NODE_OPTIONS, LD_PRELOAD and the like, which anybody may write into a creation body, mean nothing to the runtime.
// - the pipe then stays open for as long as the engine lives. Its end means that the engine is gone, also after kill -9:
//   the whole process group goes then, since nobody could stop it any more.
import { readSync } from "node:fs";

const GIVE_UP_MS = 2_000;

function readLine(): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  for (;;) {
    const length = readSync(0, chunk);
    if (length === 0) process.exit(1);
    chunks.push(Buffer.from(chunk.subarray(0, length)));
    if (chunk[length - 1] === 10) return Buffer.concat(chunks).toString("utf8");
  }
}

function leave(): void {
  setTimeout(() => process.kill(0, "SIGKILL"), GIVE_UP_MS);
  process.kill(0, "SIGTERM");
}

Object.assign(process.env, JSON.parse(readLine()));
process.stdin.on("error", leave).on("end", leave).resume();
process.stdin.unref();
