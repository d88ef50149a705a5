import type { BareAppCalls } from "./bare-app.ts";
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
  await working.remote.ask("work", {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    slackUrl: `http://127.0.0.1:${sinkPort}`,
  });
  const gantry = await startGantry({ program, apiPort, sinkPort });
  return {
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
