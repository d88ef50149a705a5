import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type Bundle, bundleReplica } from "./bundle.ts";
import { type FromReplica, type Order, type ReplicaSetup, type Step, type ToReplica, SPEED } from "./ipc.ts";

type Replica = {
  readonly number: number;
  readonly process: ChildProcess;
  readonly log: string[];
  state: "loading" | "loaded" | "opening" | "ready" | "gone";
  /** Whether nobody is sent to it, though it lives: it was stopped, or is about to be killed. */
  isOut: boolean;
  port: number;
};

export type ReplicasOptions = {
  /** How many serve at the same time. */
  readonly size: number;
  readonly setup: (number: number) => ReplicaSetup;
  /** How a replica goes on from here. It may be dead by the time this resolves. */
  readonly onStep: (number: number, step: Step) => Order | Promise<Order>;
  readonly onStarted: (number: number) => void;
  readonly onLog: (line: string) => void;
  /** It was spawned, takes deliveries, is gone: for the report of a failure. */
  readonly onTrace: (line: string) => void;
  /** A start that came to nothing. */
  readonly onFailedStart: () => void;
};

export type Replicas = {
  /** Ports of those that take deliveries. */
  readonly ports: () => readonly number[];
  /** Whether as many serve as should. */
  readonly isFull: () => boolean;
  /** `kill -9`; resolves when it is gone. Another one takes its place. */
  readonly kill: (number: number) => Promise<void>;
  /** SIGSTOP: nobody is sent there until `thaw`. */
  readonly freeze: (number: number) => void;
  readonly thaw: (number: number) => void;
  /** "3 ready, 4 loaded". */
  readonly describe: () => string;
  readonly close: () => Promise<void>;
};

const children = new Set<ChildProcess>();

/** Ends what was started, whatever happened. */
export function endAllReplicas(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** Keeps so many replicas alive, and one more process loaded, so that a dead one is replaced at once. */
export async function openReplicas(parts: ReplicasOptions): Promise<Replicas> {
  const bundle = await bundleReplica();
  const all = new Map<number, Replica>();
  let last = 0;
  let isClosing = false;
  const spawn = (): void => {
    last += 1;
    const replica = startReplica(last, bundle);
    all.set(last, replica);
    replica.process.on("message", (message) => void onMessage(replica, message as FromReplica)); // written by replica.ts
    replica.process.on("exit", (code) => left(replica, code));
  };
  const left = (replica: Replica, code: number | null): void => {
    const wasExpected = replica.isOut || isClosing;
    parts.onTrace(`replica ${replica.number} is gone`);
    replica.state = "gone";
    all.delete(replica.number);
    children.delete(replica.process);
    if (!wasExpected) {
      parts.onFailedStart();
      parts.onLog(`a replica ended by itself with ${code}: ${replica.log.join("")}`);
    }
    fill();
  };
  /** In a folder, the next one may only begin when the last one is gone; serving ones are those that are being opened, too. */
  const fill = (): void => {
    if (isClosing) return;
    const serving = [...all.values()].filter(({ state }) => state === "opening" || state === "ready");
    const loaded = [...all.values()].find(({ state }) => state === "loaded");
    if (serving.length < parts.size && loaded !== undefined) {
      loaded.state = "opening";
      send(loaded, { kind: "open", setup: parts.setup(loaded.number) });
      return fill();
    }
    if (![...all.values()].some(({ state }) => state === "loading" || state === "loaded")) spawn();
  };
  const onMessage = async (replica: Replica, message: FromReplica): Promise<void> => {
    switch (message.kind) {
      case "loaded":
        replica.state = "loaded";
        return fill();
      case "ready":
        replica.port = message.port;
        replica.state = "ready";
        return parts.onTrace(`replica ${replica.number} takes deliveries on port ${message.port}`);
      case "failed":
        // As a deployed one does: it ends, and whoever watches over it starts another.
        replica.isOut = true;
        replica.process.kill("SIGKILL");
        parts.onFailedStart();
        return parts.onLog(`a replica did not start: ${message.why}`);
      case "log":
        replica.log.push(message.line);
        return parts.onLog(message.line);
      case "started":
        return parts.onStarted(replica.number);
      case "step":
        return send(replica, {
          kind: "leave",
          ask: message.ask,
          leave: await parts.onStep(replica.number, message.step),
        });
    }
  };
  const kill = async (number: number): Promise<void> => {
    const replica = all.get(number);
    if (replica === undefined) return;
    replica.isOut = true;
    const gone = once(replica.process, "exit");
    replica.process.kill("SIGKILL");
    await gone;
  };
  fill();
  return {
    ports: () => [...all.values()].filter(({ state, isOut }) => state === "ready" && !isOut).map(({ port }) => port),
    isFull: () => [...all.values()].filter(({ state, isOut }) => state === "ready" && !isOut).length >= parts.size,
    kill,
    freeze(number) {
      const replica = all.get(number);
      if (replica === undefined) return;
      replica.isOut = true;
      replica.process.kill("SIGSTOP");
    },
    thaw(number) {
      const replica = all.get(number);
      if (replica === undefined) return;
      replica.process.kill("SIGCONT");
      replica.isOut = false;
    },
    describe: () =>
      [...all.values()].map(({ number, state, isOut }) => `replica ${number} ${isOut ? "out" : state}`).join(", "),
    async close() {
      isClosing = true;
      await Promise.all([...all.keys()].map(kill));
    },
  };
}

function startReplica(number: number, { program, compiled }: Bundle): Replica {
  const child = fork(program, [], {
    // Or a third of a start would be garbage collections of a young generation that is still small.
    execArgv: ["--min-semi-space-size=32"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // Hundreds of them are started: what one has compiled, the next one need not.
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compiled,
      GANTRY_KILL_SPEED: String(SPEED),
    },
  });
  children.add(child);
  return { number, process: child, log: [], state: "loading", isOut: false, port: 0 };
}

function send({ process }: Replica, message: ToReplica): void {
  if (process.connected) process.send(message, () => undefined);
}
