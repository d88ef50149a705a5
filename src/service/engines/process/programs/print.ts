/** Writes a line of a demo program's log, with its time, as real programs do. */
export function print(line: string, { to = process.stdout }: { readonly to?: NodeJS.WriteStream } = {}): void {
  to.write(`${new Date().toISOString()} ${line}\n`);
}
