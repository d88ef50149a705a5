import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Rig } from "./rig.ts";

const projectDir = resolve(import.meta.dirname, "../../..");

/** A cluster on this machine, by the scripts `up` and `down` of a folder; tests reach it with a kubeconfig. */
export function kubernetesRig({ noNode }: { readonly noNode: boolean }): Rig {
  const folder = resolve(projectDir, process.env["GANTRY_KUBE_RIG_SCRIPTS"] ?? "../shared/kube");
  let starting: ChildProcess | undefined;
  let mayRun = false;
  return {
    async up() {
      if (!existsSync(join(folder, "up"))) throw new Error(noScripts(folder));
      mayRun = true;
      const child = spawn(join(folder, "up"), noNode ? ["--no-node"] : [], { stdio: ["ignore", "pipe", "pipe"] });
      starting = child;
      const [said, complaint, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "exit") as Promise<[number | null]>, // Node's event
      ]);
      starting = undefined;
      const kubeconfig = /^export KUBECONFIG=(.+)$/mu.exec(said)?.[1];
      if (code === 0 && kubeconfig !== undefined) return kubeconfig;
      // It belongs to somebody else, who needs it.
      if (complaint.includes("already up")) mayRun = false;
      throw new Error(`${join(folder, "up")} ended with ${code}: ${(complaint || said).trim().slice(-1_000)}`);
    },
    down() {
      if (!mayRun) return;
      mayRun = false;
      starting?.kill();
      // In a session of its own: a second Ctrl-C would end it half way.
      spawnSync("setsid", ["--wait", join(folder, "down")], { stdio: "inherit" });
    },
  };
}

function noScripts(folder: string): string {
  return `There is no cluster to test on, and no script ${join(folder, "up")}. Set GANTRY_TEST_KUBECONFIG to a kubeconfig,
or GANTRY_KUBE_RIG_SCRIPTS to a folder with two programs: up, which prints “export KUBECONFIG=PATH”, and down.`;
}
