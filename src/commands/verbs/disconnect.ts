import { linkVerb } from "./account-links.ts";

export const disconnect = linkVerb({
  name: "disconnect",
  summary: "Unlink your own account, or this channel's",
  title: "Unlink an account",
  submit: "Unlink",
});
