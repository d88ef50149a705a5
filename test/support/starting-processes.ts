/**
 * Tests whose cost is starting things: processes of ours and of workloads. They are the
 * project `processes`, because they take a third of the CPU of all tests, and few changes reach what they test.
 */
export const startingProcesses: readonly string[] = [
  "test/main.test.ts",
  "test/bench/watch.test.ts",
  "test/bin/docker-start.test.ts",
  "test/bin/kubernetes-start.test.ts",
  "test/bin/service.test.ts",
  "test/bot/compose/bot-behind-a-proxy.test.ts",
  "test/bot/compose/crash.test.ts",
  "test/bot/compose/env-file.test.ts",
  "test/bot/compose/observing/nothing-loaded.test.ts",
  "test/bot/compose/setup/behind-a-proxy.test.ts",
  "test/bot/compose/socket-mode-off.test.ts",
  "test/bot/compose/stop-and-crash.test.ts",
  "test/engines/run.test.ts",
  "test/playground/control/say.test.ts",
  "test/service/api/idle-connections.test.ts",
  "test/service/contract/process.test.ts",
  "test/service/engines/process/*.test.ts",
  "test/service/engines/process/programs/programs.test.ts",
];
