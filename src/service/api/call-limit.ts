import { NotServed } from "./not-served.ts";

const dayMs = 86_400_000;

/**
 * Counts calls per user and UTC day and refuses those over the limit with 429 and the seconds until the next day. The
 * counts live in memory and start at 0 with the server.
 */
export function callLimit(callsPerDay: number, now: () => Date): (username: string) => void {
  let day = -1;
  const counts = new Map<string, number>();
  return (username) => {
    const ms = now().getTime();
    if (Math.floor(ms / dayMs) !== day) {
      counts.clear();
      day = Math.floor(ms / dayMs);
    }
    const count = (counts.get(username) ?? 0) + 1;
    counts.set(username, count);
    if (count <= callsPerDay) return;
    const seconds = Math.ceil(((day + 1) * dayMs - ms) / 1000);
    throw new NotServed(429, `the limit of ${callsPerDay} calls per day is used up: try again tomorrow (UTC)`, {
      headers: { "Retry-After": String(seconds) },
    });
  };
}
