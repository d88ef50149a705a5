/** What doesn't work without a scope, as the end of a sentence. A test holds this against the manifest. */
export const withoutScope: Readonly<Record<string, string>> = {
  commands: "nobody can type the slash command or use shortcuts",
  "app_mentions:read": "mentions of the bot don't arrive",
  "im:history": "direct messages to the bot don't arrive",
  "chat:write": "approval cards and threads can't be posted, so nothing that needs approval can be requested",
  "files:write": "`logs` and `history` can't attach files",
  "users:read": "every command is refused, because nobody's membership can be checked",
  "usergroups:read": "policy rules and approvals with user groups don't work",
  "channels:read": "approvals in public channels are refused, because their members can't be checked",
  "groups:read": "approvals in private channels are refused, because their members can't be checked",
  "im:read": "approvals in direct messages are refused, because their members can't be checked",
  "mpim:read": "approvals in group messages are refused, because their members can't be checked",
};
