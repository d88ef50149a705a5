import type { LastState } from "./job-shape.ts";

/** Words of Kubernetes that say no more than the exit code does, and one that few people know. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["Error", ""],
  ["Completed", ""],
  ["OOMKilled", "out of memory"],
]);

/** How a container last ended: "out of memory, exit 137". Undefined when the API doesn't say. */
export function endWords(last: LastState): string | undefined {
  const { reason = "", exit_code: code } = last ?? {};
  const words = [reasons.get(reason) ?? reason, code === undefined ? "" : `exit ${code}`];
  return words.filter((part) => part !== "").join(", ") || undefined;
}

/** "out of memory, exit 137, 6 restarts". */
export function restartsWords(last: LastState, count: number): string {
  const end = endWords(last);
  return `${end === undefined ? "" : `${end}, `}${count} ${count === 1 ? "restart" : "restarts"}`;
}

/** The reason that the API gives, after how the container ended unless it names the exit code itself. */
export function reasonWith(last: LastState, reason: string | undefined): string | undefined {
  const end = endWords(last);
  if (end === undefined || reason === undefined || reason === "") return reason || end;
  return names(reason, last) ? reason : `${end} · ${reason}`;
}

/** Whether a text names the exit code: "exited with code 137", "exit code 2 after 4 attempts". */
export function names(text: string, last: LastState): boolean {
  const code = last?.exit_code;
  return code !== undefined && new RegExp(String.raw`\b(?:exit|code)\D{0,20}\b${code}\b`, "iu").test(text);
}

/** " in 4 min"; "" when a time is missing. */
export function inWhatTime(first: string | undefined, last: string | undefined): string {
  const ms = Date.parse(last ?? "") - Date.parse(first ?? "");
  if (Number.isNaN(ms) || ms < 0) return "";
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 90 ? ` in ${seconds} s` : ` in ${Math.round(seconds / 60)} min`;
}

/** At most `max` characters, cut after a word: messages of Kubernetes have hundreds. */
export function brief(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1).toWellFormed();
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > max / 2 ? end : undefined).replace(/[\s,;:·]+$/u, "")}…`;
}

/** The beginning of a reason, for a narrow column: "ImagePullBackOff", "exit 2, 3 restarts". */
export function lead(reason: string): string {
  return brief(/^.{3,}?(?=: | · |; |\. )/u.exec(reason)?.[0] ?? reason, LEAD);
}

const LEAD = 50;
