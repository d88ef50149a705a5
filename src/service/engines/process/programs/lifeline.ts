// Loaded (`--import`) before every program of the process engine. Stdin carries two things:
// - the first line is JSON with the container's environment and, for a job, the file for the end of its run. The
//   environment is not passed to exec, because any user can write NODE_OPTIONS, LD_PRELOAD and the like into a creation
//   body, and Node or the system would obey them.
// - the pipe then stays open for as long as the server lives. When it ends, even after a kill -9, the whole process group
//   ends, because no server could stop it any more.
import { fsyncSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { encodeRecord } from "../../../workloads/runtime.ts";

const GIVE_UP_MS = 2_000;

type Handed = { env: Record<string, string>; run?: { path: string; attempt: number } };

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

let isLeaving = false;

function leave(): void {
  isLeaving = true;
  setTimeout(() => process.kill(0, "SIGKILL"), GIVE_UP_MS);
  process.kill(0, "SIGTERM");
}

/**
 * The process overwrites its existing record itself, because by then the engine may be gone and the disk full. If that
 * fails it removes the record, which tells the next engine not to run the job again.
 */
function recordEnd({ path, attempt }: { path: string; attempt: number }): void {
  const file = openSync(path, "r+");
  process.on("exit", (code) => {
    const isCutOff = isLeaving && code !== 0;
    const at = new Date().toISOString();
    try {
      writeSync(
        file,
        encodeRecord(isCutOff ? { state: "interrupted", attempt } : { state: "ended", attempt, code, at }),
        0,
      );
      fsyncSync(file);
    } catch {
      rmSync(path, { force: true });
    }
  });
}

// For our programs, not for what a host command starts.
delete process.env["NODE_COMPILE_CACHE"];
const { env, run } = JSON.parse(readLine()) as Handed; // child.ts wrote it
Object.assign(process.env, env);
if (run) recordEnd(run);
process.stdin.on("error", leave).on("end", leave).resume();
process.stdin.unref();
