import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What another process of the bench can be asked; inputs and answers travel as JSON. */
export type Calls = { readonly [name: string]: (input: never) => unknown };

export type Remote<C extends Calls> = {
  readonly pid: number;
  ask<Name extends keyof C & string>(name: Name, input: Parameters<C[Name]>[0]): Promise<Awaited<ReturnType<C[Name]>>>;
};

type Question = { readonly id: number; readonly name: string; readonly input: unknown };
type Reply = { readonly id: number; readonly answer?: unknown; readonly error?: string };
type Pending = { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void };

/** Starts a program of this folder in a process of its own. `C` is what that program gives to `answerCalls`. */
export async function startRemote<C extends Calls>(program: string): Promise<Remote<C>> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [], {
    // Not our own flags: what is asked of this process is not asked of those it measures.
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  endWithUs(child);
  const remote = remoteOver<C>(child, program);
  await once(child, "spawn");
  return remote;
}

/** Asks a child with a channel between the processes, in which `answerCalls` runs. */
export function remoteOver<C extends Calls>(child: ChildProcess, program: string): Remote<C> {
  const pending = new Map<number, Pending>();
  child.on("message", (message) => {
    const { id, answer, error } = message as Reply; // written by `answerCalls`
    if (error === undefined) pending.get(id)?.resolve(answer);
    else pending.get(id)?.reject(new Error(`${program}: ${error}`));
    pending.delete(id);
  });
  child.on("exit", () => {
    for (const { reject } of pending.values()) reject(new Error(`${program} ended before it answered`));
  });
  let last = 0;
  return {
    pid: child.pid ?? 0,
    ask: (name, input) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      last += 1;
      pending.set(last, { resolve, reject });
      child.send({ id: last, name, input } satisfies Question);
      return promise as never; // the answer of that call, which the compiler cannot follow through a pipe
    },
  };
}

/** The other side of `startRemote`. The process ends when the bench does, however that came. */
export function answerCalls(calls: Calls): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (message) => {
    const { id, name, input } = message as Question; // sent by `ask`
    answer(calls, { name, input }).then(
      (answer) => process.send?.({ id, answer } satisfies Reply),
      (error: unknown) => process.send?.({ id, error: String(error) } satisfies Reply),
    );
  });
}

async function answer(calls: Calls, { name, input }: Omit<Question, "id">): Promise<unknown> {
  const call = calls[name];
  if (call === undefined) throw new Error(`does not know "${name}"`);
  return call(input as never); // typed by `Remote`
}

const children = new Set<ChildProcess>();

/** Ends the child when this process ends, by itself or by a signal. */
export function endWithUs(child: ChildProcess): void {
  children.add(child);
  child.on("exit", () => children.delete(child));
}

/** Kills what was started. May be called twice. */
export function endAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** Milliseconds of the machine's monotonic clock, which all processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
