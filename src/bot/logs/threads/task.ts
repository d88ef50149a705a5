import type { Excerpt, ExcerptRequest } from "../excerpt.ts";

/** Work for a worker. */
export type Task =
  | { readonly kind: "excerpt"; readonly request: ExcerptRequest }
  /** One instance's lines, to be stripped of control characters and secrets. */
  | { readonly kind: "redact"; readonly lines: readonly string[]; readonly secrets: readonly string[] };

/** A worker's messages: a step begins, which starts its time limit, or the task is over. */
export type Report =
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "excerpt"; readonly excerpt: Excerpt }
  | { readonly kind: "redacted"; readonly lines: readonly string[] }
  | { readonly kind: "failed"; readonly message: string };

export type Step = "redacting" | "matching";
