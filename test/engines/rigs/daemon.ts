import { type DaemonKind, missingFor } from "../../support/daemons/daemon-command.ts";
import { type OwnDaemon, ownDaemon } from "../../support/daemons/own-daemon.ts";
import { daemonOf } from "../../support/docker.ts";
import type { Rig } from "./rig.ts";

const installs = { docker: "docker.io", podman: "podman, runc, netavark and aardvark-dns" } as const;

/** A Docker or Podman in a folder of its own, which goes with it. The machine's own is never touched. */
export function daemonRig(kind: DaemonKind): Rig {
  let daemon: OwnDaemon | undefined;
  return {
    async up() {
      const missing = missingFor(kind);
      if (missing !== undefined) throw new Error(refusal(kind, missing));
      daemon = ownDaemon(kind);
      await daemon.start();
      await daemonOf(kind, daemon.host);
      return daemon.host;
    },
    down() {
      daemon?.remove();
      daemon = undefined;
    },
  };
}

function refusal(kind: DaemonKind, missing: string): string {
  return `An own ${kind} ${missing}. On Debian install ${installs[kind]}, and be root; or set GANTRY_TEST_${kind.toUpperCase()} to
the address of a running one: unix:///path/of/its.sock. Its tests only touch what they make there.`;
}
