import { execFile } from "node:child_process";
import { z } from "zod";
import type { Login } from "./credentials.ts";

export type HelperEnd = { readonly output: string; readonly isOk: boolean };

/** Runs `program get` with the server on its standard input. Rejects when it can't be run or doesn't end. */
export type RunHelper = (program: string, server: string) => Promise<HelperEnd>;

const Answer = z.object({ Username: z.string(), Secret: z.string() });

const HELPER_MS = 10_000;

/** https://github.com/docker/docker-credential-helpers#development: undefined when it has none for the server. */
export async function askHelper(name: string, server: string, run: RunHelper): Promise<Login | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/u.test(name)) throw new Error(`${program} isn't the name of a program`);
  const { output, isOk } = await run(program, server);
  if (!isOk && /credentials not found/iu.test(output)) return undefined;
  if (!isOk) throw new Error(`${program} failed`);
  const { Username, Secret } = answerIn(output, program);
  return Username === "<token>" ? { identitytoken: Secret } : { username: Username, password: Secret };
}

function answerIn(output: string, program: string): z.infer<typeof Answer> {
  try {
    return Answer.parse(JSON.parse(output));
  } catch {
    // The cause would quote the secret.
    throw new Error(`${program} answered something else than credentials`);
  }
}

export const runHelper: RunHelper = (program, server) =>
  new Promise((resolve, reject) => {
    const child = execFile(program, ["get"], { timeout: HELPER_MS, killSignal: "SIGKILL" }, (error, output) => {
      if (!error || typeof error.code === "number") resolve({ output, isOk: !error });
      else if (error.code === "ENOENT") reject(new Error(`${program} isn't on this machine`));
      else reject(new Error(error.killed === true ? `${program} didn't end in 10 s` : `${program} couldn't be run`));
    });
    child.stdin?.on("error", () => undefined); // it may end without reading
    child.stdin?.end(server);
  });
