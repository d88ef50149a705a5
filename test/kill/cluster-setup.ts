import { readAppManifest } from "../../src/bot/compose/manifest.ts";

/** Most is decided by one approval; what concerns `brief-*` within a minute. */
export const policy = `
rules:
  - name: read access
    who: members
    does: read
    then: allow
  - name: what hurts nobody
    who: members
    does: routine
    then: allow
  - name: decided within a minute
    who: members
    does: [disruptive, destructive]
    workloads: { name: brief-* }
    then: { approve: { votes: 1, from: channel-members, expires: 1m } }
  - name: one more full member
    who: members
    does: [disruptive, destructive]
    then: { approve: { votes: 1, from: channel-members, expires: 1h } }
`;

const { display_information, features, oauth_config, settings } = readAppManifest();

/** The app as its manifest has it, for the simulated workspace; it may be told less. */
export function appOfManifest(events: readonly string[] = settings.event_subscriptions?.bot_events ?? []) {
  return {
    name: display_information.name,
    botDisplayName: features.bot_user.display_name,
    commands: ["/gantry"],
    scopes: oauth_config.scopes.bot,
    events,
  };
}

/** What a log says of a mistake of the program; that others are gone and connections break is what these tests do. */
export function isBug(line: string): boolean {
  // On a machine that is busy with something else the database may not answer in time: that is said, and tried again.
  if (/did not start: StoreError/u.test(line)) return false;
  return /internal error|unhandled rejection|ended by itself|did not start|cannot be read/u.test(line);
}
