import type { WrongBody } from "./wrong-bodies.ts";

/** What is no domain that can be bound. */
export const wrongDomains = [
  "shop",
  "localhost",
  "127.0.0.1",
  "http://shop.example.com",
  "shop.example.com.",
  "shop..example.com",
  "-shop.example.com",
  "shop-.example.com",
  "shop.*.com",
  "*.com.*",
  "sh op.example.com",
  "shop.example.com/x",
  "shöp.example.com",
  `${"a".repeat(64)}.example.com`,
  `${"a.".repeat(127)}com`,
];

const mappings = Array.from({ length: 11 }, (_, index) => ({ container_port: 8_000 + index }));
const domains = Array.from({ length: 201 }, (_, index) => `d${index}.example.com`);
const disks = Array.from({ length: 51 }, (_, index) => ({ name: `volume-${index}`, disk_name: "disk-1" }));

/** What a service refuses besides what jobs refuse too, without its containers. */
export const wrongServices: readonly WrongBody[] = [
  { names: "target_instance_size must be at most 1000", body: { target_instance_size: 1_001 } },
  { names: "target_instance_size must be at most 1000", body: { target_instance_size: 10_000_000_000 } },
  { names: "target_instance_size must be at most 1000", body: { target_instance_size: 1e300 } },
  { names: "did you mean target_instance_size?", body: { target_instance_sise: 2 } },
  { names: "port_mappings must have at most 10 entries", body: { port_mappings: mappings } },
  { names: "port_mappings[0].protocol", body: { port_mappings: [{ container_port: 53, protocol: "udp" }] } },
  {
    names: "port_mappings has 80 twice",
    body: { port_mappings: [{ container_port: 80 }, { container_port: 80, protocol: "TCP" }] },
  },
  { names: "binding_domain_name must have at most 200 entries", body: { binding_domain_name: domains } },
  {
    names: "binding_domain_name has shop.example.com twice",
    body: { binding_domain_name: ["shop.example.com", "Shop.Example.com"] },
  },
  { names: "volumes must have at most 50 entries", body: { volumes: disks } },
  { names: "volumes has data twice", body: { volumes: ["a", "b"].map((disk_name) => ({ name: "data", disk_name })) } },
  { names: "volumes[0].name", body: { volumes: [{ name: "..", disk_name: "disk-1" }] } },
  { names: "volumes[0].disk_name", body: { volumes: [{ name: "data", disk_name: "x".repeat(64) }] } },
  { names: "volumes[0].type", body: { volumes: [{ name: "data", disk_name: "disk-1", type: "host" }] } },
];
