import type { Excerpt } from "../logs/excerpt.ts";
import type { ExcerptRequest } from "../logs/excerpt-request.ts";

/** What a worker is asked for. */
export type Task =
  | { readonly kind: "excerpt"; readonly request: ExcerptRequest }
  /** Lines of one writer, to be shown without control characters and secrets. */
  | { readonly kind: "redact"; readonly lines: readonly string[]; readonly secrets: readonly string[] };

/** What a worker says: that it is at a step, for which it then has a time limit, or how it ended. */
export type Report =
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "excerpt"; readonly excerpt: Excerpt }
  | { readonly kind: "redacted"; readonly lines: readonly string[] }
  | { readonly kind: "failed"; readonly message: string };

export type Step = "redacting" | "matching";
