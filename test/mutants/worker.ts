import { init, runBaseTests, setupEnvironment } from "vitest/worker";

/**
 * Vitest's own worker, except that it doesn't report each import to the process that started it. Only watch mode needs those
 * reports, and for a flow with the whole bot they are a quarter of a mutant's cost.
 */

type Rpc = Parameters<NonNullable<Parameters<typeof init>[0]["setup"]>>[0]["rpc"];

function unreported(rpc: Rpc): Rpc {
  return new Proxy(rpc, {
    get: (target, key, receiver) =>
      key === "ensureModuleGraphEntry" ? async () => {} : (Reflect.get(target, key, receiver) as unknown),
  });
}

const exit = process.exit.bind(process);
process.on("disconnect", exit);

init({
  post: (message) => process.send?.(message),
  on: (listener) => void process.on("message", listener),
  off: (listener) => void process.off("message", listener),
  setup: async (context) => await setupEnvironment({ ...context, rpc: unreported(context.rpc) }),
  runTests: async (state, traces) => await runBaseTests("run", state, traces),
  collectTests: async (state, traces) => await runBaseTests("collect", state, traces),
});
