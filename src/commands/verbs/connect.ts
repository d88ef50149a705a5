import { linkVerb } from "./account-links.ts";

export const connect = linkVerb({
  name: "connect",
  summary: "Link your own account, or one for this channel; a form asks for the token",
  title: "Connect an account",
  submit: "Go on",
});
