import type { Clock } from "../../../src/platform/clock.ts";
import { orAborted } from "../../../src/platform/waiting.ts";
import { Refusal } from "../../../src/service/engine.ts";
import type {
  Exit,
  Health,
  LogLine,
  LogReader,
  Runtime,
  Unit,
  UnitLabels,
  UnitSpec,
} from "../../../src/service/workloads/runtime.ts";

/** A unit in the cluster. It is kept with its log until it is discarded, also after it ended; its log can be read again from
 * any cursor. */
export type MemoryUnit = {
  readonly spec: UnitSpec;
  readonly lines: LogLine[];
  /** Resolves with the next line, and when it ends or is discarded. */
  readonly changed: () => Promise<void>;
  readonly print: (text: string) => void;
  /** `at` is when, for one that ended while nobody looked; now if undefined. */
  readonly end: (code: number, at?: string) => void;
  /** What runs it was away, and took it down or may have. */
  readonly takeDown: (code: number) => void;
  /** The memory limit that it runs with. */
  limitMib: number | undefined;
  readonly discard: () => void;
  readonly isGone: () => boolean;
  readonly isDiscarded: () => boolean;
  readonly exited: Promise<Exit>;
};

/** A cluster that runs units without any server, as Docker or Kubernetes would. */
export type Cluster = {
  /** All units that were ever started. */
  readonly started: MemoryUnit[];
  readonly running: () => MemoryUnit[];
  /** Ended units of which a server hasn't recorded the end yet. */
  readonly ended: () => MemoryUnit[];
  /** Two units of the same name that ran at the same time: `web-0 generation 1`. */
  readonly doubled: string[];
  readonly runtime: Runtime;
};

export type ClusterOptions = {
  /** For the times of its lines. */
  readonly clock: Pick<Clock, "now">;
  /** Whether a unit takes connections yet; they all do if undefined. */
  readonly answers?: (unit: MemoryUnit) => boolean;
  /** What the health check of a unit says; units have none if undefined. */
  readonly health?: (unit: MemoryUnit) => Health;
  /** Whether a unit certainly runs at this moment, where the cluster may not know. */
  readonly runs?: (unit: MemoryUnit) => boolean;
  /** Whether a unit ends when it is asked to; one that doesn't runs until the test ends it. They all do if undefined. */
  readonly stops?: (unit: MemoryUnit) => boolean;
  /** Whether the limit of a running unit can be changed now. Undefined for a cluster that never can. */
  readonly resizes?: (unit: MemoryUnit) => boolean;
  /** The digest of the image that a unit runs; not known if undefined. */
  readonly digest?: (unit: MemoryUnit) => string | undefined;
};

/** As one unit of a generation is called; a cluster has at most one of a name. */
export function nameOf({ spec }: Pick<MemoryUnit, "spec">): string {
  return `${spec.instance} generation ${spec.generation}`;
}

/** What an engine over it says about itself. */
export const memoryAbout = { name: "process", title: "Memory", version: "1", cannot: [] } as const;

/** Images: `test/web` runs until it is stopped, `test/lines N` prints N lines and exits, `test/lasting` runs on. */
const images = ["test/web", "test/lines", "test/lasting", "test/failing"];

export function makeCluster(options: ClusterOptions): Cluster {
  const started: MemoryUnit[] = [];
  const doubled: string[] = [];
  const running = () => started.filter((unit) => !unit.isGone());
  const ended = () => started.filter((unit) => unit.isGone() && !unit.isDiscarded());
  let ports = 40_000;
  return {
    started,
    running,
    ended,
    doubled,
    runtime: {
      keepsUnits: true,
      check({ image }) {
        if (!images.includes(image)) throw new Refusal(400, `unknown image ${image}`);
      },
      reservedMib: (limitMib = 64) => limitMib,
      async start(spec, note) {
        note(`pulled ${spec.definition.image}`);
        const unit = makeUnit(spec, started.length, options.clock);
        if (running().some((other) => isSame(other.spec, spec))) doubled.push(nameOf(unit));
        started.push(unit);
        runProgram(unit);
        return handleOf(unit, options);
      },
      adopt: async () => started.filter((unit) => !unit.isDiscarded()).map((unit) => handleOf(unit, options)),
      expose: async ({ assigned }) => ({
        address: assigned ?? `cluster.example:${(ports += 1)}`,
        release: async () => undefined,
      }),
      drained: async () => undefined,
      volumePath: ({ username, name }) => `/cluster/${username}/${name}`,
      clear: async () => undefined,
      clearOthers: async () => undefined,
      readiness: () => ({ ok: true }),
      close: async () => undefined,
    },
  };
}

function isSame(left: UnitLabels, right: UnitLabels): boolean {
  const keys = ["workload", "instance", "container", "generation"] as const;
  return keys.every((key) => left[key] === right[key]);
}

function makeUnit(spec: UnitSpec, id: number, clock: Pick<Clock, "now">): MemoryUnit {
  const lines: LogLine[] = [];
  const gone = Promise.withResolvers<Exit>();
  let isGone = false;
  let isDiscarded = false;
  let next = Promise.withResolvers<void>();
  const change = (): void => {
    next.resolve();
    next = Promise.withResolvers();
  };
  const endWith = (exit: Exit): void => {
    isGone = true;
    gone.resolve(exit);
    change();
  };
  return {
    spec,
    lines,
    changed: () => next.promise,
    limitMib: spec.definition.memoryMib,
    exited: gone.promise,
    isGone: () => isGone,
    isDiscarded: () => isDiscarded,
    discard() {
      isDiscarded = true;
      change();
    },
    print(text) {
      lines.push({ at: clock.now(), text, cursor: `${id}:${lines.length}` });
      change();
    },
    end: (code, at) => endWith({ code, ...(at !== undefined && { at }) }),
    takeDown: (code) => endWith({ code, surroundings: "the cluster didn't answer" }),
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
function handleOf(
  unit: MemoryUnit,
  { answers = () => true, stops = () => true, health, runs, resizes, digest }: ClusterOptions,
): Unit {
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
    answers: unit.spec.ports.length > 0 ? async () => !unit.isGone() && answers(unit) : undefined,
    ...(health && { health: { look: async () => health(unit), everyMs: 1_000 } }),
    ...(runs && { runs: async () => runs(unit) }),
    imageDigest: digest?.(unit),
    address: (port) => (unit.spec.ports.includes(port) ? `${instance}:${port}` : undefined),
    readLog(reader) {
      read = follow(unit, reader);
    },
    async stop() {
      if (!unit.isGone() && stops(unit)) unit.end(143);
      await unit.exited;
    },
    discard: async () => unit.discard(),
    ...(resizes && {
      limitMib: () => unit.limitMib,
      async resize(limitMib: number | undefined) {
        if (unit.isGone() || !resizes(unit)) return false;
        unit.limitMib = limitMib;
        return true;
      },
    }),
  };
}

async function follow(unit: MemoryUnit, { after, write, signal }: LogReader): Promise<void> {
  let next = unit.lines.findIndex(({ cursor }) => cursor === after) + 1;
  while (!signal.aborted && !unit.isDiscarded()) {
    const line = unit.lines[next];
    if (line) {
      await write(line);
      next += 1;
    } else if (unit.isGone()) return;
    else await orAborted(unit.changed(), signal).catch(() => undefined); // aborted
  }
}
