import type { Command } from "../../command.ts";
import { Target } from "../../grammar/target.ts";

type Named = {
  readonly kind: "service" | "job" | undefined;
  readonly name: string | undefined;
  readonly region: string | undefined;
};

/** The workload that unfinished words are about, as far as they tell. Pure. */
export function namedIn(words: readonly string[], { name: verb }: Pick<Command, "name">): Named {
  const [first, second] = words.slice(0, firstFlag(words));
  const region = flagIn(words, "--region");
  // `create` takes the kind and the name apart, and `list` takes no name.
  if (verb === "list") return { kind: undefined, name: undefined, region };
  const isKind = verb === "create" && (first === "service" || first === "job");
  const target = Target.safeParse(isKind ? second : first).data;
  return { kind: isKind ? first : target?.kind, name: target?.name, region };
}

function firstFlag(words: readonly string[]): number {
  const at = words.findIndex((word) => word.startsWith("-"));
  return at < 0 ? words.length : at;
}

function flagIn(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  return word?.includes("=") ? word.slice(flag.length + 1) : word && words[at + 1];
}
