import { parseArgs } from "node:util";
import type { Cut } from "./network.ts";

export type Transport = "http" | "socket";

export type Options = {
  readonly minutes: number;
  readonly transport: Transport;
  readonly seed: number;
  readonly cut: Cut;
  /** Whether networks are cut, links refreshed and replicas ended. */
  readonly hasTrouble: boolean;
  /** A workspace that takes answers twice: the soak has to find it out. */
  readonly repeats: boolean;
  /** 0 is the end when something was found, 1 when nothing was. */
  readonly expectsFailure: boolean;
};

export const usage = `npm run test:soak -- [options]
  --minutes N        how long people go on (5); fractions are allowed
  --transport KIND   http or socket (http)
  --seed S           a whole number; the same one makes the same choices
  --cut KIND         reset (connections break off) or silent (they stay, and nothing passes) (reset)
  --calm             no refresh, no cut network, nobody killed
  --variant repeats  a workspace that takes answers twice, which has to be found out
  --expect-failure   end with 0 only if something was found
`;

/** Throws an Error with one sentence when they make no sense. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "5" },
      transport: { type: "string", default: "http" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      cut: { type: "string", default: "reset" },
      calm: { type: "boolean", default: false },
      variant: { type: "string" },
      "expect-failure": { type: "boolean", default: false },
    },
  });
  return {
    minutes: positive("--minutes", values.minutes),
    transport: oneOf("--transport", values.transport, ["http", "socket"]),
    seed: Math.ceil(positive("--seed", values.seed)),
    cut: oneOf("--cut", values.cut, ["reset", "silent"]),
    hasTrouble: !values.calm,
    repeats: values.variant !== undefined && oneOf("--variant", values.variant, ["repeats"]) === "repeats",
    expectsFailure: values["expect-failure"],
  };
}

function oneOf<Kind extends string>(name: string, value: string, kinds: readonly Kind[]): Kind {
  const kind = kinds.find((each) => each === value);
  if (kind === undefined) throw new Error(`${name} has to be ${kinds.join(" or ")}; “${value}” is not`);
  return kind;
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`${name} has to be a number above 0; “${value}” is not`);
  return number;
}
