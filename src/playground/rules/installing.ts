import { oauth } from "./limits.ts";

const docs = "https://docs.slack.dev";
const installing = `${docs}/authentication/installing-with-oauth`;
const access = `${docs}/reference/methods/oauth.v2.access`;
const orgs = `${docs}/enterprise/developing-for-enterprise-orgs`;
const events = `${docs}/reference/events`;

type Named = Readonly<Record<string, { readonly says: string; readonly link: string }>>;

/** Rules of installing an app that can be broken. */
export const installRules = {
  "oauth.client": { says: "the app's client id and secret are the right ones", link: access },
  "oauth.scope": {
    says: "the link to install asks for at least one scope, and only for those of the manifest (ours: Slack knows more scopes than the manifest's)",
    link: installing,
  },
  "oauth.redirect": {
    says: "redirect_uri begins with one of the app's, and is the same when the code is traded",
    link: `${installing}#redirect_urls`,
  },
  "oauth.code": {
    says: `a code is traded once, within ${oauth.codeMs.max / 60_000} minutes`,
    link: oauth.codeMs.link,
  },
  "oauth.refresh": { says: "a refresh token is traded once", link: oauth.tokenSeconds.link },
  "oauth.org": {
    says: "a workspace doesn't install what its organization has installed for all",
    link: access,
  },
  "auth.fresh": {
    says: `a token that rotates lives ${oauth.tokenSeconds.max / 3600} hours, and at most ${oauth.activeTokens.max} of them at a time`,
    link: oauth.tokenSeconds.link,
  },
  "auth.team": {
    says: "with the token of an organization, methods about a workspace name one that the app was added to",
    link: orgs,
  },
  "install.here": { says: "an app hears only of workspaces that it is installed in", link: installing },
} as const satisfies Named;

/** What Slack does when an app is installed and removed. */
export const installBehaviour = {
  "oauth.denied": { says: "who cancels is sent back with error=access_denied", link: installing },
  "oauth.again": {
    says: "installing again adds scopes, and gives the same token unless tokens rotate",
    link: installing,
  },
  "oauth.bot-user": { says: "the bot user comes with the installation, and is in no channel", link: installing },
  "install.ends": {
    says: "when an app is removed its tokens end first; app_uninstalled and tokens_revoked follow in any order, and its commands are gone",
    link: `${events}/app_uninstalled`,
  },
  "install.revoked": {
    says: "tokens_revoked names users, never tokens; commands still arrive (ours: Slack's pages are silent)",
    link: `${events}/tokens_revoked`,
  },
  "org.added": {
    says: "an organization's installation works in no workspace until an admin adds it there: team_access_granted, team_access_revoked",
    link: `${events}/team_access_granted`,
  },
  "org.payloads": {
    says: "payloads for an organization's installation say is_enterprise_install; outside of a message, an interaction has no team, only its user has one",
    link: orgs,
  },
  "org.identity": {
    says: "auth.test with an organization's token answers with the organization as the team (ours: Slack's page shows no example)",
    link: `${docs}/reference/methods/auth.test`,
  },
  "team-id.ignored": { says: "team_id is ignored with a workspace's token", link: orgs },
} as const satisfies Named;
