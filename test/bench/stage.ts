import type { BareAppCalls } from "./bare-app.ts";
import type { BareSocketAppCalls } from "./bare-socket-app.ts";
import type { Works } from "./bare-work.ts";
import { startGantry } from "./gantry-process.ts";
import type { LoadCalls } from "./load.ts";
import { startRemote, type Remote } from "./remote.ts";
import type { SinkCalls } from "./sink.ts";
import type { WorkloadApiCalls } from "./workload-api.ts";

/** An app under load. */
export type Target = {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Set for an app that gets its deliveries over Socket Mode. */
  readonly appToken?: string;
  /** Whether each command has to get a message after its ack. */
  readonly posts: boolean;
};

/** Everything of a run, each in a process of its own. */
export type Stage = {
  readonly load: Remote<LoadCalls>;
  readonly sink: Remote<SinkCalls>;
  readonly sinkPort: number;
  readonly api: Remote<WorkloadApiCalls>;
  readonly apiPort: number;
  readonly gantry: Target;
  readonly bare: Target;
  /** The same as `bare`: their ratio is what the measurement itself is worth. */
  readonly bareAgain: Target;
  /** A bare app that does the work of `/gantry list`, of a form and of Home with plain fetch after its ack. */
  readonly working: Target;
  /** The same four over Socket Mode. A bare app has one connection, as Bolt opens it. */
  readonly overSockets: Record<"gantry" | "bare" | "bareAgain" | "working", Target & { readonly appToken: string }>;
};

export async function setStage(program: string): Promise<Stage> {
  const [load, sink, api] = await Promise.all([
    startRemote<LoadCalls>("./load.ts"),
    startRemote<SinkCalls>("./sink.ts"),
    startRemote<WorkloadApiCalls>("./workload-api.ts"),
  ]);
  const [sinkPort, apiPort] = await Promise.all([sink.ask("port", undefined), api.ask("port", undefined)]);
  const bare = await startBare("bare Bolt app");
  const bareAgain = await startBare("a second bare app");
  const working = await startBare("bare app that works");
  const works = { apiUrl: `http://127.0.0.1:${apiPort}`, slackUrl: `http://127.0.0.1:${sinkPort}` };
  await working.remote.ask("work", works);
  const gantry = await startGantry({ program, apiPort, sinkPort });
  await sink.ask("socketsAt", await load.ask("socketPort", undefined));
  const overSockets = {
    gantry: await startSocketGantry({ program, apiPort, sinkPort }),
    bare: await startBareSocket("bare Bolt socket app", { sinkPort }),
    bareAgain: await startBareSocket("a second bare socket app", { sinkPort }),
    working: await startBareSocket("bare socket app that works", { sinkPort, works }),
  };
  return {
    overSockets,
    load,
    sink,
    sinkPort,
    api,
    apiPort,
    gantry: { ...gantry, name: "Gantry", posts: true },
    bare: bare.target,
    bareAgain: bareAgain.target,
    working: { ...working.target, posts: true },
  };
}

async function startBare(name: string): Promise<{ remote: Remote<BareAppCalls>; target: Target }> {
  const remote = await startRemote<BareAppCalls>("./bare-app.ts");
  return { remote, target: { name, pid: remote.pid, port: await remote.ask("port", undefined), posts: false } };
}

async function startSocketGantry(
  stands: Parameters<typeof startGantry>[0],
): Promise<Target & { readonly appToken: string }> {
  const appToken = "xapp-gantry";
  const gantry = await startGantry({ ...stands, appToken });
  return { ...gantry, name: "Gantry, Socket Mode", appToken, posts: true };
}

async function startBareSocket(
  name: string,
  { sinkPort, works }: { readonly sinkPort: number; readonly works?: Works },
): Promise<Target & { readonly appToken: string }> {
  const remote = await startRemote<BareSocketAppCalls>("./bare-socket-app.ts");
  const appToken = `xapp-${remote.pid}`;
  await remote.ask("connect", {
    appToken,
    slackUrl: `http://127.0.0.1:${sinkPort}`,
    ...(works !== undefined && { works }),
  });
  return { name, pid: remote.pid, port: 0, appToken, posts: works !== undefined };
}
