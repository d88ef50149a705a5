import { parseAllDocuments } from "yaml";
import { must } from "./tools.ts";

/** What the chart renders for values, with a release and a namespace called gantry. */
export async function rendered(
  helm: "helm3" | "helm4",
  values: readonly string[],
  options: readonly string[] = [],
): Promise<string> {
  const files = values.flatMap((file) => ["--values", file]);
  return await must(helm, ["template", "gantry", "chart", "--namespace", "gantry", ...files, ...options]);
}

export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
  };
  readonly [field: string]: unknown;
};

export function objectsIn(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null) // what Helm rendered
    .filter((object) => object !== null);
}

/**
 * As a base of kustomize: without what is Helm's own, and without the ConfigMap of clusters, which kustomize makes of a
 * file. The hash in its name then replaces the pods, in place of a checksum.
 */
export function asKustomizeBase(text: string): string {
  return text
    .split(/^---\n/mu)
    .filter((part) => !/^kind: ConfigMap$/mu.test(part))
    .join("---\n")
    .replaceAll(/^ *(?:helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n/gmu, "")
    .replaceAll(/^ *annotations:\n *#.*\n *checksum\/regions: .*\n/gmu, "")
    .replaceAll(/^# Source: .*\n/gmu, "");
}
