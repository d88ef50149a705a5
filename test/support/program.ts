type Program<Options> = {
  /** "The bench": the sentence about its failure begins so. */
  readonly name: string;
  readonly longestMs: number;
  readonly usage: string;
  /** Throws an Error with one sentence when the arguments make no sense. */
  readonly readOptions: (args: readonly string[]) => Options;
  /** Resolves to the exit code. */
  readonly main: (options: Options) => Promise<number>;
  /** Ends what it started, at any end. */
  readonly atExit: () => void;
};

/** Runs a program of the tests with the arguments of this process, and ends the process: with 2 when they make no sense. */
export async function runProgram<Options>(program: Program<Options>): Promise<never> {
  const { name, longestMs, main, atExit } = program;
  process.on("exit", atExit);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
  setTimeout(() => {
    process.stderr.write(`${name} took longer than ${longestMs / 60_000} minutes and was given up.\n`);
    process.exit(1);
  }, longestMs).unref();
  const options = optionsOrExit(program);
  try {
    process.exit(await main(options));
  } catch (error) {
    process.stderr.write(`${name} could not finish: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  }
}

function optionsOrExit<Options>({ readOptions, usage }: Program<Options>): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}
