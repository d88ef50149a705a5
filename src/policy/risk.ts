/**
 * How much a write can hurt, from one table in `changes/risk.ts`: `routine` adds (create, start, scale up, add a
 * domain), `disruptive` interrupts (restart, stop, scale down, memory), `destructive` takes away (delete, scale to 0,
 * remove a domain).
 */
export type Risk = "routine" | "disruptive" | "destructive";
