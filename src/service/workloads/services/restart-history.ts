/** The restarts after a crash of all instances of one service, as an answer holds them. */
export type Restarts = {
  readonly count: number;
  readonly first_at?: string;
  readonly last_at?: string;
  readonly last_reason?: string;
};

export type RestartHistory = {
  /** `how` is a clause: "web-1 exited with code 1". */
  readonly add: (how: string) => void;
  readonly recent: () => Restarts;
  readonly clear: () => void;
};

const WINDOW_MS = 10 * 60_000;
/** A service of many instances that all crash; more are not counted. */
const MOST = 1_000;

/** Remembers the restarts of the last ten minutes, in memory only: a restart of the server forgets them. */
export function makeRestartHistory(now: () => Date): RestartHistory {
  let times: number[] = [];
  let lastReason = "";

  function forgetOld(): void {
    const from = now().getTime() - WINDOW_MS;
    times = times.filter((at) => at > from).slice(-MOST);
  }

  return {
    add(how) {
      times.push(now().getTime());
      lastReason = how;
      forgetOld();
    },
    recent() {
      forgetOld();
      const [first] = times;
      const last = times.at(-1);
      if (first === undefined || last === undefined) return { count: 0 };
      return { count: times.length, first_at: isoOf(first), last_at: isoOf(last), last_reason: lastReason };
    },
    clear() {
      times = [];
    },
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
