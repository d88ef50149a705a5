import { long, many } from "../../support/samples.ts";
import type { Answer, SmallWorld } from "../../support/small-world.ts";
import { startStream } from "./stream-rows.ts";

const dividers = (count: number): object[] => many(count, () => ({ type: "divider" }));

/** For each limit of streams: a request with n of it. */
export function streamLimits(where: () => SmallWorld) {
  const call = (method: string, args: object): Promise<Answer> => where().call(method, { channel: "C0OPS", ...args });
  return {
    "stream.markdown-text": async (n: number) => {
      const { ts } = await startStream(where());
      await call("chat.appendStream", { ts, markdown_text: long(12_000) });
      return call("chat.appendStream", { ts, markdown_text: long(n) });
    },
    "stream.blocks": async (n: number) => {
      const { ts } = await startStream(where(), { chunks: [{ type: "blocks", blocks: dividers(10) }] });
      return call("chat.appendStream", { ts, chunks: [{ type: "blocks", blocks: dividers(n - 10) }] });
    },
    "stream.end-blocks": async (n: number) => {
      const { ts } = await startStream(where(), { chunks: [{ type: "blocks", blocks: dividers(50) }] });
      return call("chat.stopStream", { ts, blocks: dividers(n) });
    },
  };
}
