import type { z } from "zod";
import {
  HttpRoute,
  Ingress,
  ServiceObject,
  Autoscaler,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Event,
  Job,
  Pod,
  ReplicaSet,
  StatefulSet,
  Unread,
  VolumeClaim,
} from "./object-schemas.ts";

/** Path of each kind's API group, the one that older clusters have instead, its plural in paths, and its schema. */
export const kinds = {
  Deployment: { group: "apis/apps/v1", plural: "deployments", schema: Deployment },
  StatefulSet: { group: "apis/apps/v1", plural: "statefulsets", schema: StatefulSet },
  DaemonSet: { group: "apis/apps/v1", plural: "daemonsets", schema: DaemonSet },
  CronJob: { group: "apis/batch/v1", olderGroup: "apis/batch/v1beta1", plural: "cronjobs", schema: CronJob },
  ReplicaSet: { group: "apis/apps/v1", plural: "replicasets", schema: ReplicaSet },
  ControllerRevision: { group: "apis/apps/v1", plural: "controllerrevisions", schema: ControllerRevision },
  Rollout: { group: "apis/argoproj.io/v1alpha1", plural: "rollouts", schema: Unread },
  Job: { group: "apis/batch/v1", plural: "jobs", schema: Job },
  Pod: { group: "api/v1", plural: "pods", schema: Pod },
  Service: { group: "api/v1", plural: "services", schema: ServiceObject },
  Ingress: { group: "apis/networking.k8s.io/v1", plural: "ingresses", schema: Ingress },
  HTTPRoute: { group: "apis/gateway.networking.k8s.io/v1", plural: "httproutes", schema: HttpRoute },
  HorizontalPodAutoscaler: { group: "apis/autoscaling/v1", plural: "horizontalpodautoscalers", schema: Autoscaler },
  PersistentVolumeClaim: { group: "api/v1", plural: "persistentvolumeclaims", schema: VolumeClaim },
  /** Of the cluster, not of a namespace: its place has an empty one. */
  Namespace: { group: "api/v1", plural: "namespaces", schema: Unread },
  Event: { group: "api/v1", plural: "events", schema: Event },
} as const;

export type Kind = keyof typeof kinds;

/** An object of a kind, as far as the engine reads it. */
export type KubeObject<K extends Kind = Kind> = z.output<(typeof kinds)[K]["schema"]>;

export type Pod = KubeObject<"Pod">;
export type Event = KubeObject<"Event">;
export type Deployment = KubeObject<"Deployment">;

/** `apiVersion` of a group, for objects that are created. */
export function apiVersionOf(group: string): string {
  return group.replace(/^apis?\//u, "");
}
