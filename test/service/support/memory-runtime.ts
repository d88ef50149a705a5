import { setTimeout as pause } from "node:timers/promises";
import { Refusal } from "../../../src/service/engine.ts";
import type {
  Exit,
  LogLine,
  LogReader,
  Runtime,
  Unit,
  UnitLabels,
  UnitSpec,
} from "../../../src/service/workloads/runtime.ts";

/** A unit in the cluster. Its log can be read again from any cursor. */
export type MemoryUnit = {
  readonly spec: UnitSpec;
  readonly lines: LogLine[];
  readonly print: (text: string) => void;
  readonly end: (code: number) => void;
  readonly isGone: () => boolean;
  readonly exited: Promise<Exit>;
};

/** A cluster that runs units without any server, as Docker or Kubernetes would. */
export type Cluster = {
  /** All units that were ever started. */
  readonly started: MemoryUnit[];
  readonly running: () => MemoryUnit[];
  readonly runtime: Runtime;
};

/** Images: `test/web` runs until it is stopped, `test/lines N` prints N lines and exits, `test/lasting` runs on. */
const images = ["test/web", "test/lines", "test/lasting", "test/failing"];

export function makeCluster(): Cluster {
  const started: MemoryUnit[] = [];
  const running = () => started.filter((unit) => !unit.isGone());
  let ports = 40_000;
  return {
    started,
    running,
    runtime: {
      keepsUnits: true,
      check({ image }) {
        if (!images.includes(image)) throw new Refusal(400, `unknown image ${image}`);
      },
      reservedMib: (limitMib = 64) => limitMib,
      async start(spec, note) {
        note(`pulled ${spec.definition.image}`);
        const unit = makeUnit(spec, started.length);
        started.push(unit);
        runProgram(unit);
        return handleOf(unit);
      },
      adopt: async () => running().concat(endedUnread(started)).map(handleOf),
      expose: async ({ assigned }) => ({
        address: assigned ?? `cluster.example:${(ports += 1)}`,
        release: async () => undefined,
      }),
      volumePath: ({ username, name }) => `/cluster/${username}/${name}`,
      clear: async () => undefined,
      clearOthers: async () => undefined,
      readiness: () => ({ ok: true }),
      close: async () => undefined,
    },
  };
}

/** Units of jobs that ended while no server was there: their exit code is still known. */
function endedUnread(started: readonly MemoryUnit[]): MemoryUnit[] {
  const jobs = started.filter((unit) => unit.spec.run !== undefined && unit.isGone());
  const latest = new Map(jobs.map((unit) => [`${unit.spec.workload} ${unit.spec.container}`, unit]));
  return [...latest.values()];
}

function makeUnit(spec: UnitSpec, id: number): MemoryUnit {
  const lines: LogLine[] = [];
  const gone = Promise.withResolvers<Exit>();
  let isGone = false;
  return {
    spec,
    lines,
    exited: gone.promise,
    isGone: () => isGone,
    print(text) {
      lines.push({ at: new Date(), text, cursor: `${id}:${lines.length}` });
    },
    end(code) {
      isGone = true;
      gone.resolve({ code });
    },
  };
}

function runProgram(unit: MemoryUnit): void {
  const { image, command = [] } = unit.spec.definition;
  unit.print("started");
  if (image === "test/failing") return unit.end(3);
  if (image !== "test/lines") return;
  for (let line = 1; line <= Number(command[0]); line += 1) unit.print(`line ${line} of ${command[0]}.`);
  unit.end(0);
}

/** What a server holds of a unit; each server has its own. */
function handleOf(unit: MemoryUnit): Unit {
  const { workload, instance, container, generation } = unit.spec;
  const labels: UnitLabels = { workload, instance, container, generation };
  let read = Promise.resolve();
  return {
    labels,
    exited: unit.exited.then(async (exit) => {
      await read;
      return exit;
    }),
    spoke: Promise.resolve(),
    answers: unit.spec.ports.length > 0 ? async () => !unit.isGone() : undefined,
    address: (port) => (unit.spec.ports.includes(port) ? `${instance}:${port}` : undefined),
    readLog(reader) {
      read = follow(unit, reader);
    },
    async stop() {
      if (!unit.isGone()) unit.end(143);
      await unit.exited;
    },
  };
}

async function follow(unit: MemoryUnit, { after, write, signal }: LogReader): Promise<void> {
  let next = unit.lines.findIndex(({ cursor }) => cursor === after) + 1;
  while (!signal.aborted) {
    const line = unit.lines[next];
    if (line) {
      await write(line);
      next += 1;
    } else if (unit.isGone()) return;
    else await pause(5);
  }
}
