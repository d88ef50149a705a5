import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Announcement } from "../../changes/history-event.ts";
import type { Block } from "../../views/kit/blocks.ts";
import { type Post, sentAgain } from "../../views/kit/post.ts";
import type { WorkflowParts } from "../ports.ts";
import type { PostKind } from "../posts.ts";
import { mayBeNamed, type Named, type SeenParts } from "./seen-there.ts";

/** A message that is sent once is dropped after this time: history and the list of watches still have it. */
export const TELL_FOR_MS = 48 * 60 * 60_000;

const NamesJson = z.object({
  account: z.string(),
  targets: z.array(z.object({ kind: z.enum(["service", "job"]).optional(), names: z.string(), region: z.string() })),
});

const AnnouncementJson = z.object({
  text: z.string(),
  blocks: z.custom<Block[]>((value) => Array.isArray(value)),
  /** Found when that person is erased. */
  by: z.string(),
  /** An earlier version stored none, and told all of it. */
  names: z.union([z.literal("no workload"), NamesJson]).default("no workload"),
});

type Told = {
  /** Who did it. */
  readonly by: string;
  /** What it names: policy may hide that from the place before Slack takes the message. */
  readonly names: "no workload" | Pick<Named, "account" | "targets">;
  readonly post: Post;
};

/** A message for everybody in a channel, to be stored with what it tells. */
export function announcement(channelId: string, { by, names, post: { text, blocks } }: Told): Announcement {
  return { id: randomUUID(), channelId, payload: JSON.stringify({ text, blocks, by, names }) };
}

/** What somebody did there is told whatever became of them, unless policy hides what they did it to. */
export function announcementPost(deps: SeenParts & Pick<WorkflowParts, "clock">): PostKind {
  return async ({ payload, teamId, place, createdAt }) => {
    const isLate = deps.clock.now().getTime() - createdAt.getTime() > TELL_FOR_MS;
    if (payload === undefined || isLate) return { kind: "nothing", isOver: true };
    const { text, blocks, by: userId, names } = AnnouncementJson.parse(JSON.parse(payload));
    if (names !== "no workload") {
      const may = await mayBeNamed(deps, { teamId, userId, ...names }, place);
      if (may !== true) return { kind: may === undefined ? "unknown" : "nothing" };
    }
    return {
      kind: "shown",
      card: async ({ isAgain }) => (isAgain ? sentAgain({ text, blocks }) : { text, blocks }),
    };
  };
}
