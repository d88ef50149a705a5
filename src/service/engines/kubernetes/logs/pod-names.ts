import type { LoggedWorkload } from "./region-logs.ts";

/** Of the suffixes that Kubernetes makes. https://github.com/kubernetes/apimachinery/blob/v0.34.0/pkg/util/rand/rand.go */
const LETTER = "[bcdfghjklmnpqrstvwxz2456789]";

/**
 * A pattern for the names of a workload's pods, also of those that are gone: `web-5d4f8c7b9-x7k2p`. In Go's and in
 * JavaScript's regular expressions alike.
 */
export function podNamePattern({ kind, objectName }: Pick<LoggedWorkload, "kind" | "objectName">): string {
  const name = objectName.replaceAll(".", String.raw`\.`);
  if (kind === "Deployment") return `${name}-${LETTER}{5,10}-${LETTER}{5}`;
  if (kind === "DaemonSet") return `${name}-${LETTER}{5}`;
  return kind === "StatefulSet" ? `${name}-[0-9]+` : `${name}-(?:[0-9]+-)?${LETTER}{5}`;
}
