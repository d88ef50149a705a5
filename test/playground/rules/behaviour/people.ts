import { expect } from "vitest";
import { actions, button, channelInfo } from "../../support/samples.ts";
import { app, type SmallWorld } from "../../support/small-world.ts";

const robin = { name: "robin", realName: "Robin Vale", channel: "ops" };
const elsewhere = "T0ELSEWHERE";

type Another = (changes: { app?: typeof app }) => Promise<SmallWorld>;

/** Deactivated people, and people of another organization. */
export function peopleConduct(where: () => SmallWorld, another: Another) {
  const userOf = async (user: string) => (await where().call("users.info", { user }))["user"] as object; // users.info gives an object
  const membersOf = async (channel: string) => (await where().call("conversations.members", { channel }))["members"];

  return {
    "deactivated people lack most fields, and do nothing once Slack has signed them out": async () => {
      const { playground, bot, post } = where();
      const alex = playground.as("alex");
      await post({ channel: "C0OPS", text: "x", blocks: [actions(button())] });
      playground.people.deactivate("alex", { signsOut: false });
      const late = await alex.clicks("x");
      playground.people.deactivate("alex");
      const user = await userOf("U0ALEX");
      const members = await membersOf("C0OPS");
      await expect(alex.clicks("x")).rejects.toThrow("Alex Kim is deactivated. Reactivate them under Trouble");
      await expect(alex.says("/gantry list")).rejects.toThrow("is deactivated");
      const ephemeral = await where().call("chat.postEphemeral", { channel: "C0OPS", user: "U0ALEX", text: "x" });
      playground.people.reactivate("alex");
      await alex.says("/gantry list");

      expect(late.acked).toBe(true);
      expect(user).toEqual({
        id: "U0ALEX",
        team_id: "T0PLAYGR",
        name: "alex",
        deleted: true,
        profile: expect.objectContaining({ real_name: "Alex Kim" }),
        is_bot: false,
        is_app_user: false,
        updated: 0,
      });
      expect(members).not.toContain("U0ALEX");
      expect(ephemeral).toMatchObject({ ok: false, error: "user_not_in_channel" });
      expect(bot.received).toHaveLength(2);
      expect(await userOf("U0ALEX")).toMatchObject({ deleted: false, real_name: "Alex Kim", is_restricted: false });
      expect(await membersOf("C0OPS")).toContain("U0ALEX");
    },
    "an app hears user_change when a person changes, and team_join when somebody joins": async () => {
      const { playground, bot } = await another({ app: { ...app, events: ["user_change", "team_join"] } });
      playground.people.setGuest("alex", true);
      await expect.poll(() => bot.received.length).toBe(1);
      const changed = bot.last();
      playground.people.addPerson("kim", ["ops"]);
      await expect.poll(() => bot.received.length).toBe(2);

      expect(changed).toMatchObject({
        event: { type: "user_change", user: { id: "U0ALEX", is_restricted: true }, cache_ts: expect.any(Number) },
      });
      expect(bot.last()).toMatchObject({ event: { type: "team_join", user: { name: "kim", team_id: "T0PLAYGR" } } });
    },
    "people of another organization carry their own team in users, commands, clicks and messages": async () => {
      const { playground, bot, post } = where();
      const outsider = playground.people.addOutsider(robin);
      const { ts } = await post({ channel: "C0OPS", text: "x", blocks: [actions(button())] });
      await outsider.says("/gantry list");
      const command = bot.last();
      await outsider.clicks("x");
      const click = bot.last();
      const posted = await outsider.says("hello @gantry");
      const mention = bot.last();
      await playground.as("dana").uses("restart", { ts: posted.ts ?? "" });
      const used = bot.last();
      await playground.as("dana").uses("restart", { ts: ts ?? "" });
      const own = bot.last();

      expect(command).toMatchObject({ team_id: elsewhere, team_domain: "elsewhere", user_id: "U0ROBIN" });
      expect(click).toMatchObject({ team: { id: "T0PLAYGR" }, user: { id: "U0ROBIN", team_id: elsewhere } });
      expect(mention["event"]).toMatchObject({ team: elsewhere, user_team: elsewhere, source_team: elsewhere });
      expect(used["message"]).toMatchObject({ user: "U0ROBIN", team: elsewhere, user_team: elsewhere });
      expect(used["user"]).toMatchObject({ id: "U0DANA", team_id: "T0PLAYGR" });
      expect(own["message"]).toMatchObject({ team: "T0PLAYGR" });
      expect(own["message"]).not.toHaveProperty("user_team");
    },
    "a channel with people of another organization says that it is shared, and so do its events": async () => {
      const { playground, bot } = where();
      const ops = () => channelInfo(where(), "C0OPS");
      const before = await ops();
      await playground.as("dana").says("hello @gantry");
      const mentioned = bot.last();
      playground.people.addOutsider(robin);
      await playground.as("dana").says("hello @gantry");

      expect(before).toMatchObject({ is_shared: false, is_ext_shared: false, shared_team_ids: ["T0PLAYGR"] });
      expect(mentioned).toMatchObject({ is_ext_shared_channel: false });
      expect(await ops()).toMatchObject({
        is_shared: true,
        is_ext_shared: true,
        shared_team_ids: ["T0PLAYGR", elsewhere],
      });
      expect(bot.last()).toMatchObject({ team_id: "T0PLAYGR", is_ext_shared_channel: true });
    },
    "is_stranger marks only people who share no channel with the app": async () => {
      const { playground } = where();
      playground.people.addOutsider({ ...robin, channel: "general" });
      const stranger = await userOf("U0ROBIN");
      playground.people.invite("ops", "robin");
      const met = await userOf("U0ROBIN");
      playground.people.remove("ops", "robin");

      expect(stranger).toMatchObject({ team_id: elsewhere, profile: { team: elsewhere }, is_stranger: true });
      expect(met).toMatchObject({ team_id: elsewhere, is_stranger: false, is_restricted: false, deleted: false });
      expect(await userOf("U0ROBIN")).toMatchObject({ is_stranger: true });
      expect(await userOf("U0DANA")).not.toHaveProperty("is_stranger");
    },
    "somebody of another organization can come without team_id": async () => {
      const { playground } = where();
      playground.people.addOutsider({ ...robin, isTeamHidden: true });
      const met = await userOf("U0ROBIN");

      expect(met).toMatchObject({ id: "U0ROBIN", is_stranger: false, profile: { real_name: robin.realName } });
      expect(met).not.toHaveProperty("team_id");
      expect(met).not.toHaveProperty("profile.team");
    },
  };
}
