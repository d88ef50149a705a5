import { expect, test } from "vitest";
import { namesOf } from "../../../../src/bot/commands/grammar/find-command.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import { drawn } from "../../views/support/drawn.ts";
import { refusal } from "../support/refusal.ts";
import { answerTo } from "../support/script.ts";

test.each<[string, string, object]>([
  ["ls", "list", {}],
  ["ps web", "list", { text: "web" }],
  ["get services", "list", { kind: "services" }],
  ["describe web", "show", { name: "web" }],
  ["status web", "show", { name: "web" }],
  ["STATUS service web", "show", { name: "service/web" }],
  ["status", "status", {}],
  ["status --share", "status", {}],
  ["health", "status", {}],
  ["rm boom", "delete", { name: "boom" }],
  ["tail web", "logs", { name: "web" }],
  ["logs web -n 50", "logs", { size: "50" }],
  ["logs web -n50", "logs", { size: "50" }],
  ["logs web --tail 50", "logs", { size: "50" }],
  ["logs web --tail=50 -f", "logs", { size: "50", follow: true }],
  ["logs -f web", "logs", { name: "web", follow: true }],
  ["logs web --since 10m", "logs", { since: "10m", size: "1000" }],
  ["logs web --since 10m -n 20", "logs", { since: "10m", size: "20" }],
  ["scale web=3", "scale", { name: "web", size: "3" }],
  ["scale web to 3", "scale", { name: "web", size: "3" }],
  ["scale web +1", "scale", { name: "web", size: "+1" }],
  ["scale web -1", "scale", { name: "web", size: "-1" }],
  ["scale web −1", "scale", { name: "web", size: "-1" }],
  ["scale web --instances 3", "scale", { name: "web", size: "3" }],
  ["scale --replicas=3 web", "scale", { name: "web", size: "3" }],
  ["scale web --instances -1", "scale", { name: "web", size: "-1" }],
  ["memory web=512", "memory", { name: "web", mib: "512" }],
  ["restart service web", "restart", { name: "service/web" }],
  ["delete job boom", "delete", { name: "job/boom" }],
  ["scale svc web 3", "scale", { name: "service/web", size: "3" }],
  ["restart job", "restart", { name: "job" }],
  ["Restart WEB", "restart", { name: "web" }],
  ["RESTART Service/Web", "restart", { name: "service/web" }],
  ["show Web_1", "show", { name: "Web_1" }],
  ["`restart web`", "restart", { name: "web" }],
  ["```restart web```", "restart", { name: "web" }],
  ["*restart web*", "restart", { name: "web" }],
  ["restart `web`", "restart", { name: "web" }],
  ["restart *web*", "restart", { names: ["*web*"] }],
  ["restart “web”", "restart", { name: "web" }],
  ["restart <http://web.example|web>", "restart", { name: "web" }],
  ["domains web add *.example.com", "domains", { domains: ["*.example.com"] }],
  ["logs web --grep _id_", "logs", { grep: "_id_" }],
  ["create job a --image x -- echo `date` *x*", "create", { command: ["echo", "`date`", "*x*"] }],
  ["help rm", "help", { verb: "rm" }],
  ["restart -h", "help", { verb: "restart" }],
  ["rm web --help", "help", { verb: "delete" }],
  ["--help", "help", {}],
  ["version", "version", {}],
  ["set-image web 1.5", "deploy", { name: "web", image: "1.5" }],
  ["set image deployment/web web=shop/web:1.5", "deploy", { image: "shop/web:1.5", container: "web" }],
  ["release web 1.5", "deploy", { name: "web", image: "1.5" }],
  ["rollout web worker 1.5", "deploy", { names: ["web", "worker"], image: "1.5" }],
  ["rollout web 1.5", "deploy", { name: "web", image: "1.5" }],
  ["roll out web 1.5", "deploy", { name: "web", image: "1.5" }],
  ["rollout undo deployment/web", "rollback", {}],
  ["rollout undo web", "rollback", { name: "web" }],
  ["rollout restart deployment web", "restart", { name: "deployment/web" }],
  ["rollout status web", "show", { name: "web" }],
  ["rollout history web", "versions", { name: "web" }],
  ["Roll back web", "rollback", { name: "web" }],
  ["rollback web to 3", "rollback", { name: "web", revision: "3" }],
  ["revert web", "undo", { name: "web" }],
  ["stop watching web", "unwatch", { name: "web" }],
  ["stop following web", "unfollow", { name: "web" }],
])("%s", (text, verb, args) => {
  const { ask } = parseText(text);

  expect(ask.verb).toBe(verb);
  expect(ask.args).toMatchObject(args);
});

test("a flag of the container's command isn't ours", () => {
  expect(parseText("create job a --image x -- run --help").ask.verb).toBe("create");
});

test("a size that is given in both ways is refused", () => {
  expect(refusal("scale web 3 --instances 4")).toContain("The size appears twice. | Write it once.");
  expect(refusal("logs web --size 3 -n 4")).toContain("`-n` appears twice. | Use it once.");
});

test("no alias is the name or the alias of another verb", () => {
  const names = commands.flatMap(namesOf);

  expect(new Set(names).size).toBe(names.length);
});

test("a verb's help shows its other names and those of its flags", async () => {
  expect(drawn(await answerTo("help ls"))).toContain("Also: ls, ps, get");
  expect(drawn(await answerTo("help logs"))).toContain("(also --tail, --lines, -n)");
});
