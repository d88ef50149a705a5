import { expect } from "vitest";
import { app, type SmallWorld } from "../../support/small-world.ts";

type Another = (changes: { app: typeof app }) => Promise<SmallWorld>;

/** Slash commands and their answers. */
export function answerConduct(where: () => SmallWorld, another: Another) {
  const dana = () => where().playground.as("dana");
  const respond = (body: object): Promise<Response> =>
    fetch(String(where().bot.last()["response_url"]), { method: "POST", body: JSON.stringify(body) });
  const textsOf = (name: string, channel?: string) =>
    where()
      .playground.as(name)
      .sees(channel)
      .map((seen) => seen.text);

  return {
    "slash commands of apps do not work in threads": async () => {
      await dana().says("/gantry list");
      const { ts = "" } = await dana().says("look");
      await dana().says("/gantry list", { thread: ts });

      expect(where().bot.received).toHaveLength(1);
      expect(textsOf("dana").at(-1)).toBe("/gantry is not supported in threads. Sorry!");
    },
    "a slash command is a form, with no thread_ts in it": async () => {
      await dana().says("/gantry list");
      const [request] = where().bot.received;

      expect(request?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
      expect(request?.payload).not.toHaveProperty("thread_ts");
    },
    "channel_name is directmessage or privategroup where the channel is not public": async () => {
      const names: unknown[] = [];
      for (const channel of ["ops", "incidents", "@alex"]) {
        await dana().says("/gantry list", { channel });
        names.push(where().bot.last()["channel_name"]);
      }

      expect(names).toEqual(["ops", "privategroup", "directmessage"]);
    },
    "with should_escape, names become <@U…|name> and <#C…|name>; without it, they stay as typed": async () => {
      const raw = await another({ app: { ...app, escapesNames: false } });
      await dana().says("/gantry ask @dana in #ops & <you>");
      await raw.playground.as("dana").says("/gantry ask @dana in #ops & <you>");

      expect(where().bot.last()["text"]).toBe("ask <@U0DANA|dana> in <#C0OPS|ops> &amp; &lt;you&gt;");
      expect(raw.bot.last()["text"]).toBe("ask @dana in #ops &amp; &lt;you&gt;");
    },
    "an answer is for one person unless it says in_channel": async () => {
      await dana().says("/gantry list");
      await respond({ text: "for one" });
      await respond({ text: "for all", response_type: "in_channel" });

      expect(textsOf("dana")).toEqual(["for one", "for all"]);
      expect(textsOf("alex")).toEqual(["for all"]);
    },
    "a response_url works where the bot is no member: private channels and direct messages too": async () => {
      await dana().says("/gantry list", { channel: "incidents" });
      const byUrl = await respond({ text: "here", response_type: "in_channel" });
      const byMethod = await where().call("chat.postMessage", { channel: "C0INCIDENTS", text: "here" });

      expect(byUrl.status).toBe(200);
      expect(textsOf("alex", "incidents")).toEqual(["here"]);
      expect(byMethod).toMatchObject({ ok: false, error: "channel_not_found" });
    },
  };
}
