import { duration } from "../../../workloads/lifecycle/back-off.ts";
import type { PullLine } from "../daemon/daemon-api.ts";
import { makePullProgress } from "./pull-progress.ts";

/** In milliseconds. */
export type PullLimits = {
  /** Until the registry has answered. Docker itself gives up after 15 s, Podman never. */
  readonly answer: number;
  /** Without a further byte of a download. */
  readonly data: number;
  /** Without any progress while layers are unpacked or wait for other pulls. */
  readonly rest: number;
  /** Between two notes. */
  readonly note: number;
};

export const PULL_LIMITS: PullLimits = { answer: 30_000, data: 60_000, rest: 600_000, note: 30_000 };

/** Gives up a pull that makes no progress, and reports its progress now and then. */
export type PullWatch = {
  readonly take: (line: PullLine) => void;
  /** Aborted when the pull is given up. */
  readonly signal: AbortSignal;
  /** Why it was given up, as a clause about the registry. */
  readonly whyGivenUp: () => string | undefined;
  readonly end: () => void;
};

export function watchPull(limits: PullLimits, note: (howFar: string) => void): PullWatch {
  const { rest, data, answer } = limits;
  const givenUp = new AbortController();
  const progress = makePullProgress();
  let hasAnswered = false;
  let movedAt = performance.now();
  let notedAt = movedAt;
  let why: string | undefined;

  function giveUpAfter(): { readonly ms: number; readonly why: string } {
    if (!hasAnswered) return { ms: answer, why: `hasn't answered for ${duration(answer)}` };
    if (progress.expectsData()) return { ms: data, why: `has sent nothing for ${duration(data)}` };
    return { ms: rest, why: `has sent everything, but nothing was unpacked for ${duration(rest)}` };
  }

  function check(): void {
    const now = performance.now();
    const limit = giveUpAfter();
    if (now - movedAt >= limit.ms) {
      const { text } = progress;
      why = text() === undefined ? limit.why : `${limit.why} (${text()})`;
      givenUp.abort();
    } else if (now - notedAt >= limits.note) {
      notedAt = now;
      note(progress.text() ?? "the registry hasn't answered yet");
    }
  }

  const timer = setInterval(check, Math.min(1_000, answer / 4, data / 4, limits.note / 4)).unref();
  return {
    take(line) {
      hasAnswered = true;
      if (progress.take(line)) movedAt = performance.now();
    },
    signal: givenUp.signal,
    whyGivenUp: () => why,
    end: () => clearInterval(timer),
  };
}
