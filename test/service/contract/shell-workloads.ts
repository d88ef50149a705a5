import type { Workloads } from "./world.ts";
import { every, shell } from "../../support/container-script.ts";

const serveWeb = "mkdir -p /tmp/www; echo hello >/tmp/www/index.html; httpd -p 8080 -h /tmp/www";

/** The workloads of the contract as scripts of an image with a shell, which has another name too. */
export function shellWorkloads(image: string, otherImage: string): Workloads {
  return {
    web: {
      container: {
        image,
        command: shell(`echo started; ${serveWeb}; ${every(0.1, "echo heartbeat")}`),
      },
      otherImage,
      port: 8080,
      startLine: /^started$/,
    },
    lines: (count) => ({
      image,
      command: shell(`i=1; while [ $i -le ${count} ]; do echo "line $i of ${count}."; i=$((i+1)); done`),
    }),
    nthLine: (n, count) => `line ${n} of ${count}.`,
    failing: { image, command: shell("echo failing; exit 3") },
    crashing: { image, command: shell("echo crashing; exit 3") },
    lasting: { image, command: shell(every(0.1, "echo step")) },
  };
}
