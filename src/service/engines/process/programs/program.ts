import { parseArgs } from "node:util";

/** Writes a line of a demo program's log, with its time, as real programs do. */
export function print(line: string, { to = process.stdout }: { readonly to?: NodeJS.WriteStream } = {}): void {
  to.write(`${new Date().toISOString()} ${line}\n`);
}

/**
 * The arguments of a demo program, whose options all take a text. Wrong ones end it with its usage; so does what `refuse`
 * is told of their values.
 */
export function argumentsOf<const Name extends string>(
  usage: string,
  names: readonly Name[],
  allowPositionals = false,
) {
  const refuse = (why: string): never => {
    process.stderr.write(`${why}\nusage: ${usage}\n`);
    process.exit(2);
  };
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals });
    return { values: values as Partial<Record<Name, string>>, positionals, refuse }; // the options are these
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}
