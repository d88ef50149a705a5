import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestProject } from "vitest/node";
import { missingFor } from "../../support/daemons/daemon-command.ts";
import { ownDaemon } from "../../support/daemons/own-daemon.ts";
import { importStandIns } from "./stand-ins.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A Docker of the tests' own, with the stand-ins of the images that ours are built on; or why there is none. */
    readonly imageDaemon: { readonly host: string } | { readonly missing: string };
  }
}

/** Brought up once for all files, and taken down with everything in it. */
export async function setup({ provide }: TestProject): Promise<(() => void) | undefined> {
  const missing = whyNot();
  if (missing !== undefined) {
    provide("imageDaemon", { missing });
    return undefined;
  }
  const daemon = ownDaemon("docker");
  // Vitest doesn't tear down what it is interrupted in.
  process.once("exit", daemon.remove);
  try {
    await daemon.start();
    await importStandIns(daemon.host);
  } catch (error) {
    daemon.remove();
    throw error;
  }
  provide("imageDaemon", { host: daemon.host });
  return () => {
    process.off("exit", daemon.remove);
    daemon.remove();
  };
}

function whyNot(): string | undefined {
  if (process.env["GANTRY_TEST_OWN_IMAGE"] === undefined) return "skipped: run with npm run test:image";
  const docker = missingFor("docker");
  if (docker !== undefined) return `skipped: an own Docker ${docker}`;
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  const programs = ["docker", ...(hasComposePlugin() ? [] : ["docker-compose"]), "debootstrap"];
  const missing = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  if (missing.length > 0) return `skipped: needs ${missing.join(", ")}`;
  return existsSync("/usr/lib/postgresql") ? undefined : "skipped: needs Debian's package postgresql";
}

/** The documentation says `docker compose`; Debian has `docker-compose` in its place. */
function hasComposePlugin(): boolean {
  return spawnSync("docker", ["compose", "version"]).status === 0;
}
