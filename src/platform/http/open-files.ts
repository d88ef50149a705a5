import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

let known: number | undefined;

/**
 * How many files this process may open; undefined where the system doesn't say. Read once, early: later there may be no
 * descriptor left to read it with. Node's own report is no source: after a failed spawn, writing one can loop for ever.
 */
export function openFileLimit(): number | undefined {
  known ??= numberIn(process.platform === "linux" ? linuxLimit() : shellLimit());
  return known;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_limits.5.html: name, soft limit, hard limit, unit. */
function linuxLimit(): string | undefined {
  try {
    return /^Max open files +(\S+)/mu.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** A child inherits the limit, which Node has raised to the hard one. */
function shellLimit(): string | undefined {
  try {
    return execFileSync("/bin/sh", ["-c", "ulimit -n"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

function numberIn(text: string | undefined): number | undefined {
  if (text === "unlimited") return Number.POSITIVE_INFINITY;
  return text !== undefined && /^\d+$/u.test(text) ? Number(text) : undefined;
}
