import type { EngineChoice } from "./engine-choice.ts";
import type { OpenedEngine } from "./engine.ts";
import { openProcessEngine, type ProcessEngineOptions } from "./engines/process/process-engine.ts";

export type EngineParts = {
  /** The folder for what the engine keeps. */
  readonly dataDir: string;
  readonly users: readonly string[];
  /** Background actions and failures, for the log. */
  readonly onEvent: (message: string, data: object) => void;
  /** Shorter times of the process engine, for tests. */
  readonly process?: Partial<ProcessEngineOptions>;
};

export type ChosenEngine = OpenedEngine & {
  /** Notices of the start for the operator, one per cluster. */
  readonly found: readonly string[];
};

/** Opens the configured engine. Throws an Error with sentences when it can't be used; nothing is running then. */
export async function openEngine(choice: EngineChoice, parts: EngineParts): Promise<ChosenEngine> {
  const { process: shorter, ...common } = parts;
  if (choice.kind === "kubernetes") {
    // Imported late: its client takes a third of a second and 85 MB, which a start without Kubernetes needn't spend.
    const { startKubernetes } = await import("./engines/kubernetes/start-kubernetes.ts");
    return await startKubernetes(choice, common);
  }
  if (choice.kind === "docker") {
    const { startDocker } = await import("./engines/docker/start-docker.ts");
    return await startDocker(choice, common);
  }
  const { regions, hostCommands, quotas } = choice;
  const opened = await openProcessEngine({ ...common, regions, quotas, allowHostCommands: hostCommands, ...shorter });
  return { ...opened, found: [] };
}
