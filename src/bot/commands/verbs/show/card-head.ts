import type { WorkloadStatus } from "../../../../api/workload-status.ts";
import { context, section } from "../../../views/kit/blocks.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import type { Block } from "../../../views/kit/message.ts";
import { dotOf, statusWords } from "../../../views/kit/status.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";

/** "running for 3 d", "failed 2 h ago", "exit 3, 6 restarts in 4 min". */
export function statusText(status: WorkloadStatus, now: Date): string {
  const text = truncate(statusWords(status, now), 120);
  const ago = age(status.since, now);
  // How long it has been restarting is part of its words.
  if (ago === undefined || status.isRestarting) return text;
  return status.level === "failing" || text === "complete" ? `${text} ${ago} ago` : `${text} for ${ago}`;
}

type Head = {
  readonly name: string;
  readonly status: WorkloadStatus;
  readonly now: Date;
  /** What the status comes to, after the name: "crashes every 20 s". */
  readonly verdict?: string | undefined;
};

/** "🟢 web · running for 3 d", below the verdict if there is one. */
export function headLine({ name, status, now, verdict }: Head): Block {
  const text = statusText(status, now);
  const first = [words(`${dotOf(status)} `), strong(name, 255)];
  if (verdict === undefined) return section([...first, words(` · ${text}`)]);
  const isSaid = verdict.includes(text) || text === "running";
  return section(
    [...first, words(` ${verdict}`, 600)],
    ...(isSaid ? [] : [`${text.charAt(0).toUpperCase()}${text.slice(1)}`]),
  );
}

/** The same for a notification. */
export function headText({ name, status, now, verdict }: Head): string {
  const text = verdict === undefined ? `: ${statusText(status, now)}` : ` ${visible(verdict)}`;
  return `${dotOf(status)} ${truncate(visible(name), 255)}${text}`;
}

/** "service · beijing1 · gantry/hello-web · created 3 d ago". */
export function headContext(parts: readonly (string | undefined)[], created: string | undefined, now: Date): Block {
  const ago = age(created, now);
  const all = [...parts, ago === undefined ? undefined : `created ${ago} ago`];
  return context(
    all
      .filter((part) => part !== undefined)
      .map((part) => truncate(visible(part), 200))
      .join(" · "),
  );
}

/** What the images of the containers are: the image of one, the number of several. */
export function imageText(containers: readonly { readonly image?: string | undefined }[]): string | undefined {
  const [first, ...others] = containers;
  return others.length === 0 ? first?.image : `${containers.length} containers`;
}
