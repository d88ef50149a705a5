import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { listen } from "../../../src/platform/http/listen.ts";
import { createPlayground, type Playground } from "../../../src/playground/playground.ts";
import { appOfManifest } from "../../kill/cluster-setup.ts";
import type { TestCluster } from "../../support/cluster.ts";
import { until } from "../../support/until.ts";

const projectDir = join(import.meta.dirname, "../../..");

export type Terminal = {
  readonly run: (command: string) => Promise<string>;
  readonly write: (path: string, content: string) => void;
  readonly close: () => void;
};

/** What somebody has who follows the documentation: the chart, Helm and kubectl, here with a namespace of the test's own. */
export function openTerminal({ kubeconfig }: TestCluster, namespace: string): Terminal {
  const folder = mkdtempSync(join(tmpdir(), "gantry-chart-"));
  symlinkSync(join(projectDir, "chart"), join(folder, "chart"));
  const tools = process.env["GANTRY_TEST_CHART_TOOLS"] ?? "";
  const env = { ...process.env, KUBECONFIG: kubeconfig, PATH: `${tools}${delimiter}${process.env["PATH"]}` };
  return {
    run: (command) =>
      new Promise((done, failed) => {
        const here = command
          .replaceAll("--namespace gantry", `--namespace ${namespace}`)
          .replaceAll(/^helm /gu, "helm4 ")
          .replaceAll("--wait", "--wait --timeout 2m");
        execFile("sh", ["-c", here], { cwd: folder, env }, (error, stdout, stderr) =>
          error === null ? done(`${stdout}${stderr}`) : failed(new Error(`${here}\n${stdout}${stderr}`)),
        );
      }),
    write: (path, content) => writeFileSync(join(folder, path), content),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

type Reader = { readonly as: string; readonly in: string };

export type Town = {
  readonly secrets: Readonly<Record<string, string>>;
  readonly reachesBotAt: (host: string) => void;
  /** What somebody reads in a channel after a command of theirs: dana in #ops, unless others are named. */
  readonly answerTo: (command: string, where?: Reader) => Promise<string>;
  /** All that somebody reads in a channel. */
  readonly reads: (where: Reader) => readonly string[];
  readonly close: () => Promise<void>;
};

/** The simulated Slack, at an address that pods reach. */
export async function openTown(host: string): Promise<Town> {
  const secrets = {
    SLACK_BOT_TOKEN: `xoxb-chart-${randomBytes(8).toString("hex")}`,
    SLACK_SIGNING_SECRET: randomBytes(16).toString("hex"),
  };
  let port = 0;
  let bot = "";
  const playground: Playground = createPlayground({
    app: appOfManifest(),
    botToken: secrets.SLACK_BOT_TOKEN,
    signingSecret: secrets.SLACK_SIGNING_SECRET,
    url: () => `http://${host}:${port}`,
    requestUrl: () => `http://${bot}:3000/slack/events`,
    hosts: [host],
  });
  const server = await listen(playground.fetch, { host, port: 0, variable: "PLAYGROUND_PORT" });
  port = server.port;
  return {
    secrets: { ...secrets, SLACK_API_URL: `http://${host}:${port}/api/` },
    reachesBotAt: (address) => (bot = address),
    async answerTo(command, { as, in: channel } = { as: "dana", in: "ops" }) {
      const person = playground.as(as);
      const before = person.sees(channel).length;
      await person.says(command, { channel });
      const read = () => person.sees(channel).slice(before);
      // What takes longer is announced, and the answer takes the place of that.
      await until(() => read().some(({ text }) => !text.includes("The answer follows here")));
      return read()
        .map(({ text }) => text)
        .join("\n");
    },
    reads: ({ as, in: channel }) =>
      playground
        .as(as)
        .sees(channel)
        .map(({ text }) => text),
    async close() {
      playground.close();
      await server.close();
    },
  };
}

/** An address that pods reach, for what listens on 127.0.0.1 only. */
export async function openForwarder(host: string, to: { readonly hostname: string; readonly port: string }) {
  const server = createServer((socket) => {
    const onward = connect(Number(to.port), to.hostname);
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on("error", () => [socket, onward].map((each) => each.destroy()));
  });
  server.listen(0, host);
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }; // of TCP
}
