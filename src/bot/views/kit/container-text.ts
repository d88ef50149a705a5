import type { Job, JobContainer, Service, ServiceContainer } from "../../../api/answers.ts";
import { type Shown, visible } from "./text.ts";
import { redactLines } from "../../logs/redact.ts";
import { isSecretVariable } from "../../logs/secret-values.ts";

const units: Readonly<Record<string, string>> = { "": "MiB", Ki: "KiB", Mi: "MiB", Gi: "GiB", Ti: "TiB" };

/** Adds the unit to a memory size: 512, "512" and "512Mi" are "512 MiB". */
export function memoryText(value: Shown): string | undefined {
  const text = visible(value).trim();
  const [, digits, suffix = ""] = /^(\d{1,15}(?:\.\d{1,9})?)([KMGT]i)?$/u.exec(text) ?? [];
  return digits === undefined ? text || undefined : `${digits} ${units[suffix]}`;
}

/** " (now 768 MiB)", where instances were resized in place. */
export function memoryNowText(container: { readonly memory_now?: readonly Shown[] | undefined } | undefined): string {
  const sizes = (container?.memory_now ?? []).flatMap((size) => memoryText(size) ?? []);
  return sizes.length === 0 ? "" : ` (now ${sizes.join(" and ")})`;
}

type Container = Pick<ServiceContainer | JobContainer, "resources">;

/** "256 MiB", "512 MiB (default)" of a container without a limit, or "4 MiB (6 MiB enforced)". */
export function containerMemory({ resources }: Container): string | undefined {
  const limit = memoryText(resources?.limits?.memory);
  const enforced = memoryText(resources?.enforced?.memory);
  if (enforced === undefined) return limit;
  return limit === undefined ? `${enforced} (default)` : `${limit} (${enforced} enforced)`;
}

function allMemory(containers: readonly Container[] | undefined): string {
  const sizes = (containers ?? []).map(containerMemory);
  if (sizes.every((size) => size === undefined)) return "–";
  return sizes.map((size) => size ?? "memory not reported").join(" + ");
}

/** The memory of one instance by container: "512 MiB + 256 MiB"; "–" when none is set. */
export function serviceMemory(service: Service): string {
  return allMemory(service.containers);
}

export function jobMemory(job: Job): string {
  return allMemory(job.spec?.template?.spec?.containers);
}

type Env = readonly { readonly name: string; readonly value?: string | undefined }[];

/** Formats a container's command as one line: quoted where needed, with likely secrets and those of its variables redacted. */
export function commandLine(command: readonly string[], env: Env = []): string {
  const words = command.map((word) => (/^[\w./:=@%+,-]+$/u.test(word) ? word : JSON.stringify(word)));
  const values = env.filter(isSecretVariable).map(({ value = "" }) => value);
  return redactLines([words.join(" ")], values).join(" ");
}
