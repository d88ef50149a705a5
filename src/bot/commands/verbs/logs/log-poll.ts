import { z } from "zod";
import { Ask } from "../../../ask.ts";
import { SeenLines } from "../../../logs/new-lines.ts";

/** A log that is followed, and how far: what any replica needs to go on. */
export const FollowedLog = z.object({
  /** Names one workload and keeps the filters. */
  ask: Ask,
  kind: z.enum(["service", "job"]),
  name: z.string(),
  /** The job instance whose log is read. */
  instance: z.string().optional(),
  /** The day of the log that was read last. */
  date: z.string(),
  seen: SeenLines,
  /** Instances whose lines were shown: from the second one on, lines say whose they are. */
  instances: z.array(z.string()),
  /** When the workload was last read. */
  readMs: z.number(),
});
export type FollowedLog = z.infer<typeof FollowedLog>;

/** Result of one poll of a followed log. */
export type LogPoll = {
  readonly log: FollowedLog;
  /** Text to show; "" without new lines. */
  readonly text: string;
  readonly shown: number;
  /** New lines that aren't shown, because there were too many. */
  readonly skipped: number;
  /** Why nothing will follow: "the service was deleted". */
  readonly over?: string;
};
