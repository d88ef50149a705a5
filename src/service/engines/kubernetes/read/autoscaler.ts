import { z } from "zod";
import type { KubeObject } from "../cluster/kinds.ts";

/** What sets the size of a service. */
export type Autoscaler = {
  /** "autoscaler web-hpa", "KEDA ScaledObject web": what its owner edits. */
  readonly words: string;
  /** Whether it brings instances back when the size is 0, or is switched off then. */
  readonly wakes: boolean;
  /** The smallest size above 0 that it leaves. */
  readonly least: number;
};

/**
 * Kubernetes switches a HorizontalPodAutoscaler off when somebody sets the size to 0, unless its own minimum is 0:
 * https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#implicit-maintenance-mode-deactivation
 * That of KEDA is switched off at 0, too, because KEDA itself sets the size to 0 and back: https://keda.sh/docs/latest/concepts/scaling-deployments/
 */
export function autoscalerOf({ metadata, spec }: KubeObject<"HorizontalPodAutoscaler">): Autoscaler {
  const least = Math.max(1, spec.minReplicas);
  const scaled = metadata.ownerReferences.find(({ kind }) => kind === "ScaledObject");
  if (scaled) return { words: `KEDA ScaledObject ${scaled.name}`, wakes: true, least };
  const wakes = spec.minReplicas === 0 && !isSwitchedOff(metadata.annotations);
  return { words: `autoscaler ${metadata.name}`, wakes, least };
}

/** Where `autoscaling/v1`, which every cluster has, keeps the conditions. */
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";

const Conditions = z.array(z.object({ reason: z.string().optional() }));

function isSwitchedOff(annotations: Readonly<Record<string, string>>): boolean {
  try {
    const conditions = Conditions.parse(JSON.parse(annotations[CONDITIONS] ?? "[]"));
    return conditions.some(({ reason }) => reason === "ScalingDisabled");
  } catch {
    return false;
  }
}
