import { z } from "zod";
import { details, EnvVar, LastState, MemoryNow, RefusedOperations, Resources, VolumeMount } from "./job-shape.ts";
import { count, identity, listOf, lenient, text } from "./lenient.ts";

/** `container_port` when services are read, `port` when one is created. */
const ServicePort = z.looseObject({ container_port: lenient(count), port: lenient(count), protocol: lenient(text) });
export type ServicePort = z.output<typeof ServicePort>;

const ServiceContainer = z.looseObject({
  name: lenient(text),
  image: lenient(text),
  command: lenient(listOf(text)),
  env: lenient(listOf(EnvVar)),
  ports: lenient(listOf(ServicePort)),
  resources: lenient(Resources),
  memory_now: MemoryNow,
  volumeMounts: lenient(listOf(VolumeMount)),
  imagePullPolicy: lenient(text),
});
export type ServiceContainer = z.output<typeof ServiceContainer>;

const PortMapping = z.looseObject({
  service_url: lenient(text),
  container_port: lenient(count),
  protocol: lenient(text),
});
export type PortMapping = z.output<typeof PortMapping>;

const ServiceVolume = z.looseObject({
  name: identity,
  disk_name: lenient(text),
  fsType: lenient(text),
  is_read_only: lenient(z.boolean()),
});
export type ServiceVolume = z.output<typeof ServiceVolume>;

/** A service without a name can't be shown or addressed, so the name is required. */
export const Service = z.looseObject({
  region: lenient(text),
  uid: lenient(text),
  name: identity,
  namespace: lenient(identity),
  created_at: lenient(text),
  status: lenient(text),
  message: lenient(identity),
  ...details,
  rollout: lenient(z.looseObject({ updated: lenient(count), available: lenient(count) })),
  status_since: lenient(text),
  min_ready_seconds: lenient(count),
  ready_instances: lenient(count),
  replaced_instances: lenient(count),
  restarts: lenient(
    z.looseObject({
      count: lenient(count),
      first_at: lenient(text),
      last_at: lenient(text),
      last_reason: lenient(text),
    }),
  ),
  restart_count: lenient(count),
  last_state: LastState,
  managed_by: lenient(identity),
  size_set_by: lenient(identity),
  refused_operations: RefusedOperations,
  target_instance_size: lenient(count),
  // Updates go by position, so a malformed container keeps its place.
  containers: lenient(z.array(ServiceContainer.catch({}))),
  port_mappings: lenient(listOf(PortMapping)),
  volumes: lenient(listOf(ServiceVolume)),
  default_domain_name: lenient(text),
  // It is sent back as a whole, so a list that is only partly readable is unknown.
  binding_domain_name: lenient(z.array(identity)),
});
export type Service = z.output<typeof Service>;
