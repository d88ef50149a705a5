import type { WorkloadStatus } from "../../../../api/workload-status.ts";

type Fits = (status: WorkloadStatus) => boolean;

const failing: Fits = ({ level }) => level === "failing";
const healthy: Fits = ({ level }) => level === "healthy";
const stopped: Fits = ({ words }) => /^(?:stopped|suspended)/u.test(words);
const complete: Fits = ({ words }) => words.startsWith("complete");

const restarting: Fits = ({ isRestarting, words }) => isRestarting === true || words.startsWith("restarting");

/** It is retried, or runs with too few instances. Starting and stopping are no trouble. */
const UNSTEADY = /^retrying\b|\d ready$/u;

/** Somebody should have a look at it. */
export const needsAttention: Fits = (status) =>
  failing(status) || (status.level === "busy" && (restarting(status) || isHeldUp(status)));

/** Busy with a reason means that it may not recover without help. */
function isHeldUp({ words, reason }: WorkloadStatus): boolean {
  return UNSTEADY.test(words) || reason !== undefined;
}

const filters: ReadonlyMap<string, Fits> = new Map([
  // Whoever asks for what fails wants all that a list counts as trouble, not only what is beyond hope.
  ...["failed", "failing", "crashing", "broken", "unhealthy", "trouble"].map((word) => [word, needsAttention] as const), // a pair, not a list
  ["healthy", healthy],
  ["running", ({ level, words }: WorkloadStatus) => level === "healthy" || words.startsWith("running")],
  ["stopped", stopped],
  ["suspended", stopped],
  ["complete", complete],
  ["completed", complete],
  ["done", complete],
  ["succeeded", complete],
  ["restarting", restarting],
  ...["waiting", "retrying", "starting", "updating", "stopping", "deleting", "pending"].map(
    (word) => [word, ({ words }: WorkloadStatus) => words.startsWith(word)] as const, // a pair, not a list
  ),
]);

/** True for a status that finds everything that needs attention. */
export function isTroubleWord(word: string): boolean {
  return filters.get(word.toLowerCase()) === needsAttention;
}

/** True for a word that `list` takes as a status rather than as a part of a name. */
export function isStatusWord(word: string): boolean {
  return filters.has(word.toLowerCase());
}

/** Other words, which `--status` takes for statuses of other workload APIs, are compared with how the status begins. */
export function statusFilter(word: string): Fits {
  const wanted = word.toLowerCase();
  return filters.get(wanted) ?? (({ words }) => words.startsWith(wanted));
}
