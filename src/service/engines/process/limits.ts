import type { Limit } from "../../engine.ts";

export const TITLE = "Node processes";

/** What processes can't do as containers would. A local trial and the tests use this engine: nothing here is routed. */
export const processLimits: readonly Limit[] = [
  {
    feature: "images",
    effect: "partly",
    why: "it runs the programs that Gantry brings, and names them when it refuses another image",
  },
  { feature: "pullAlways", effect: "kept", why: "its programs are part of Gantry, so there is nothing to pull" },
  {
    feature: "memory",
    effect: "partly",
    why: "a program that exceeds its limit is killed within about a second; macOS limits only its heap",
  },
  {
    feature: "mountPaths",
    effect: "kept",
    why: "a program finds the folder of a volume in the variable GANTRY_VOLUME_NAME",
  },
  { feature: "ports", effect: "partly", why: "a port mapping gets a port of 127.0.0.1 on this machine" },
  { feature: "domains", effect: "kept", why: "a domain belongs to one service, but nothing routes it" },
  { feature: "readOnlyDisks", effect: "kept", why: "programs can write to every volume; the log says so at the start" },
  {
    feature: "timezone",
    effect: "partly",
    why: "a program gets the variable TZ, and its answers show the volume that a cluster would mount",
  },
];
