import { actions, button, input, modal, plain, post, trigger } from "../../support/samples.ts";
import type { Answer, SmallWorld } from "../../support/small-world.ts";

export type Step = () => Promise<unknown>;

/** One rule: Slack's error code, a step that keeps the rule, and one that breaks it. */
export type Row = { readonly error: string; readonly kept: Step; readonly broken: Step };

const searching = { ...input({ type: "external_select", action_id: "find" }), optional: true };

export type Steps = ReturnType<typeof createSteps>;

/**
 * Requests of bots and actions of people, in one call each. `poor` is a world whose bot may only write and has a short
 * limit for acks.
 */
export function createSteps(world: SmallWorld, poor: SmallWorld) {
  const message = (more: object): Promise<Answer> =>
    world.call("chat.postMessage", { channel: "C0OPS", text: "x", ...more });
  const blocks = (...sent: object[]): Promise<Answer> => message({ blocks: sent });
  const posted = async (): Promise<unknown> => (await post(world, []))["ts"];
  const dana = () => world.playground.as("dana");

  async function ephemeral(): Promise<unknown> {
    return (await world.call("chat.postEphemeral", { channel: "C0OPS", user: "U0DANA", text: "x" }))["message_ts"];
  }

  async function update(more: object): Promise<Answer> {
    return world.call("chat.update", { channel: "C0OPS", ts: await posted(), text: "x", ...more });
  }

  async function reply(): Promise<unknown> {
    return (await message({ thread_ts: await posted() }))["ts"];
  }

  async function openModal(more: object = {}): Promise<Answer> {
    const answer = await world.call("views.open", { trigger_id: await trigger(world), view: modal(more) });
    return answer["view"] as Answer; // the answer has the view beside ok
  }

  async function respond(more: object, url?: string): Promise<unknown> {
    await dana().says("/gantry list");
    const to = url ?? String(world.bot.last()["response_url"]);
    const request = new Request(to, { method: "POST", body: JSON.stringify({ text: "x", ...more }) });
    return (await world.playground.fetch(request)).text();
  }

  async function respondToClick(more: object): Promise<unknown> {
    await world.call("chat.postEphemeral", {
      channel: "C0OPS",
      user: "U0DANA",
      text: "x",
      blocks: [actions(button())],
    });
    await dana().clicks("x");
    return respond(more, String(world.bot.last()["response_url"]));
  }

  async function upload(bytes: string): Promise<unknown> {
    const { upload_url, file_id } = await world.call("files.getUploadURLExternal", { filename: "a.txt", length: 3 });
    await world.playground.fetch(new Request(String(upload_url), { method: "POST", body: bytes }));
    return file_id;
  }

  async function acked(json: unknown, act: Step): Promise<void> {
    world.bot.answer = (payload) => (payload["type"] === undefined ? undefined : { json });
    await act();
    world.bot.answer = () => undefined;
  }

  async function submit(json: unknown): Promise<void> {
    await openModal({ blocks: [{ ...input(), block_id: "name", optional: true }], submit: plain() });
    await acked(json, () => dana().submits());
  }

  async function search(json: unknown): Promise<void> {
    await openModal({ blocks: [searching], submit: plain() });
    await acked(json, () => dana().searches("find", "web"));
  }

  async function searchIn(where: SmallWorld): Promise<void> {
    const view = modal({ blocks: [searching], submit: plain() });
    await where.call("views.open", { trigger_id: await trigger(where), view });
    where.bot.answer = (payload) => (payload["type"] === undefined ? undefined : { json: { options: [] } });
    await where.playground.as("dana").searches("find", "web");
    where.bot.answer = () => undefined;
  }

  async function click(json: unknown): Promise<void> {
    dana().modal();
    while (dana().modal() !== undefined) await dana().closes();
    await blocks(actions(button()));
    await acked(json, () => dana().clicks("x"));
  }

  return {
    world,
    poor,
    message,
    blocks,
    posted,
    dana,
    ephemeral,
    update,
    reply,
    openModal,
    respond,
    respondToClick,
    upload,
    submit,
    search,
    searchIn,
    click,
  };
}
