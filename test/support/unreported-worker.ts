import { init, runBaseTests, setupEnvironment } from "vitest/worker";

/**
 * Vitest's own worker, except that it doesn't report each import to the process that started it. Only watch mode needs those
 * reports.
 */

type Rpc = Parameters<NonNullable<Parameters<typeof init>[0]["setup"]>>[0]["rpc"];

function unreported(rpc: Rpc): Rpc {
  return new Proxy(rpc, {
    get: (target, key, receiver) =>
      key === "ensureModuleGraphEntry" ? async () => {} : (Reflect.get(target, key, receiver) as unknown),
  });
}

// Vitest replaces one of them for each file, and a test could.
const exit = process.exit.bind(process);
const send = process.send?.bind(process);
process.on("disconnect", exit);

init({
  post: (message) => send?.(message),
  on: (listener) => void process.on("message", listener),
  off: (listener) => void process.off("message", listener),
  teardown() {
    process.removeAllListeners("message").off("disconnect", exit);
    process.exit = exit;
  },
  setup: async (context) => await setupEnvironment({ ...context, rpc: unreported(context.rpc) }),
  runTests: async (state, traces) => await runBaseTests("run", state, traces),
  collectTests: async (state, traces) => await runBaseTests("collect", state, traces),
});
