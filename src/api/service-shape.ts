import { z } from "zod";
import { EnvVar, Resources, VolumeMount } from "./job-shape.ts";
import { count, identity, listOf, maybe, text } from "./lenient.ts";

/** `container_port` when services are read, `port` when one is created. */
const ServicePort = z.looseObject({ container_port: maybe(count), port: maybe(count), protocol: maybe(text) });
export type ServicePort = z.output<typeof ServicePort>;

const ServiceContainer = z.looseObject({
  name: maybe(text),
  image: maybe(text),
  command: maybe(listOf(text)),
  env: maybe(listOf(EnvVar)),
  ports: maybe(listOf(ServicePort)),
  resources: maybe(Resources),
  volumeMounts: maybe(listOf(VolumeMount)),
  imagePullPolicy: maybe(text),
});
export type ServiceContainer = z.output<typeof ServiceContainer>;

const PortMapping = z.looseObject({
  service_url: maybe(text),
  container_port: maybe(count),
  protocol: maybe(text),
});
export type PortMapping = z.output<typeof PortMapping>;

const ServiceVolume = z.looseObject({
  name: identity,
  disk_name: maybe(text),
  fsType: maybe(text),
  is_read_only: maybe(z.boolean()),
});
export type ServiceVolume = z.output<typeof ServiceVolume>;

/** A service without a name cannot be shown or addressed: it is no service. */
export const Service = z.looseObject({
  region: maybe(text),
  uid: maybe(text),
  name: identity,
  created_at: maybe(text),
  status: maybe(text),
  status_reason: maybe(text),
  target_instance_size: maybe(count),
  containers: maybe(listOf(ServiceContainer)),
  port_mappings: maybe(listOf(PortMapping)),
  volumes: maybe(listOf(ServiceVolume)),
  default_domain_name: maybe(text),
  binding_domain_name: maybe(listOf(identity)),
});
export type Service = z.output<typeof Service>;
