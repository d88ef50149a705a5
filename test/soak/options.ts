import { parseArgs } from "node:util";
import type { Cut } from "./network.ts";

export type Transport = "http" | "socket";
export type StoreKind = "sqlite" | "postgres";

/** A workspace that loses answers, or posts them twice: the soak has to find it out. */
export type Variant = "loses" | "repeats";

export type Options = {
  readonly minutes: number;
  readonly transport: Transport;
  readonly store: StoreKind;
  /** Deliveries a second. */
  readonly rate: number;
  readonly people: number;
  readonly seed: number;
  readonly cut: Cut;
  /** Whether networks are cut, links refreshed and replicas ended. */
  readonly hasTrouble: boolean;
  readonly variant: Variant | undefined;
  /** 0 is the end when something was found, 1 when nothing was. */
  readonly expectsFailure: boolean;
};

export const usage = `npm run test:soak -- [options]
  --minutes N        how long people go on (5); fractions are allowed
  --transport KIND   http or socket (http)
  --store KIND       postgres with two replicas, or sqlite with one (postgres)
  --rate N           deliveries a second (20)
  --people N         how many people make them (40)
  --seed S           a whole number; the same one makes the same choices
  --cut KIND         reset (connections break off) or silent (they stay, and nothing passes) (reset)
  --calm             no refresh, no cut network, nobody killed
  --variant KIND     a broken workspace, which has to be found out: loses (answers) or repeats (them)
  --expect-failure   end with 0 only if something was found
`;

/** Throws an Error with one sentence when they make no sense. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "5" },
      transport: { type: "string", default: "http" },
      store: { type: "string", default: "postgres" },
      rate: { type: "string", default: "20" },
      people: { type: "string", default: "40" },
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
    store: oneOf("--store", values.store, ["postgres", "sqlite"]),
    rate: positive("--rate", values.rate),
    people: Math.ceil(positive("--people", values.people)),
    seed: Math.ceil(positive("--seed", values.seed)),
    cut: oneOf("--cut", values.cut, ["reset", "silent"]),
    hasTrouble: !values.calm,
    variant:
      values.variant === undefined ? undefined : oneOf<Variant>("--variant", values.variant, ["loses", "repeats"]),
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
