import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact, redactLines } from "../../../src/bot/logs/redact.ts";

// Every secret here is made up; they are put together at run time, so that no scanner takes them for real ones.
const alnum = "a8Xk2Qw9ZrT4bN7vLm3JpH6sYd1GfC5e";
const hex32 = "9f86d081884c7d659a2feaa0c55ad015";
const hex40 = "9fceb02d0ae598e95dc970b74767f19372d61af8";
const hex64 = `${hex32}a3bf4f1b2b0b822cd15d6c15b0f00a08`;
const uuid = "5f1c0f9e-5c55-4a43-9a63-0d9f3f1a0b11";
const jwt = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r"].join(".");
const [aws, awsSession, google] = ["AKIA", "ASIA", "AIza"];
const [github, githubFine, slack, npm, stripe] = ["ghp", "github", "xoxb", "npm", "sk"];

describe("a secret is replaced and its name kept", () => {
  test.each([
    ["an AWS key id", `using ${aws}IOSFODNN7EXAMPLE now`, "using [redacted] now"],
    ["a session key id", `id=${awsSession}IOSFODNN7EXAMPLE`, "id=[redacted]"],
    [
      "an AWS secret in a pair",
      `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`,
      "aws_secret_access_key = [redacted]",
    ],
    ["an AWS secret alone", `got wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`, "got [redacted]"],
    ["a GitHub token", `clone with ${github}_${alnum}1234`, "clone with [redacted]"],
    ["a fine-grained GitHub token", `${githubFine}_pat_11AAAAAAA0${alnum}`, "[redacted]"],
    ["a Slack token", `${slack}-123456789012-abcdefABCDEF`, "[redacted]"],
    [
      "a Slack hook",
      `POST https://hooks.slack.com/services/T0001/B0001/abcdefgh`,
      "POST https://hooks.slack.com/services/[redacted]",
    ],
    [
      "an npm token",
      `//registry.npmjs.org/:_authToken=${npm}_${alnum}1234`,
      "//registry.npmjs.org/:_authToken=[redacted]",
    ],
    ["a Stripe key", `${stripe}_live_4eC39HqLyjWDarjtT1zdp7dc`, "[redacted]"],
    ["a Google key", `key ${google}SyA-1234567890abcdefghijklmnopqrstu`, "key [redacted]"],
    ["a JSON Web Token", `session ${jwt} ok`, "session [redacted] ok"],
    ["a bearer header", `Authorization: Bearer ${alnum}`, "Authorization: Bearer [redacted]"],
    ["a short bearer", "sent bearer abc123-def", "sent bearer [redacted]"],
    ["a basic header", `> authorization: Basic ZGFuYTpodW50ZXIy`, "> authorization: Basic [redacted]"],
    ["a token header", "Authorization: token abc", "Authorization: token [redacted]"],
    ["a digest header", `Authorization: Digest username="dana", response="6629fae4"`, `Authorization: [redacted]`],
    ["a header without a scheme", `-H "Authorization: s3cr3t"`, `-H "Authorization: [redacted]"`],
    ["a cookie", "Cookie: sid=abc; theme=dark", "Cookie: [redacted]"],
    ["a password in a URL", "postgres://app:hunter2@db:5432/shop", "postgres://app:[redacted]@db:5432/shop"],
    ["a password with @ and /", "amqp://app:p@ss/word@mq/", "amqp://app:[redacted]@mq/"],
    ["a password without a user", "redis://:hunter2@cache:6379", "redis://:[redacted]@cache:6379"],
    [
      "a password on a command line",
      "curl -u dana:hunter2 https://example.org",
      "curl -u dana:[redacted] https://example.org",
    ],
    ["an environment pair", "DB_PASSWORD=hunter2 DB_USER=app", "DB_PASSWORD=[redacted] DB_USER=app"],
    ["a short pass", "DB_PASS=x1", "DB_PASS=[redacted]"],
    ["a colon pair", "passwd: hunter2", "passwd: [redacted]"],
    ["a JSON pair", `{"user":"dana","password":"a\\"b, c"}`, `{"user":"dana","password":"[redacted]"}`],
    [
      "JSON in JSON",
      `{"msg":"{\\"apiKey\\":\\"abc\\",\\"n\\":1}"}`,
      `{"msg":"{\\"apiKey\\":\\"[redacted]\\",\\"n\\":1}"}`,
    ],
    ["a quoted value", `client_secret = 'two words'`, `client_secret = '[redacted]'`],
    ["an open quote", `secret="never closed and so on`, `secret="[redacted]`],
    ["a query", "GET /cb?access_token=abc&state=1", "GET /cb?access_token=[redacted]&state=1"],
    ["a list", "token=abc, user=dana", "token=[redacted], user=dana"],
    ["a signature of a shared link", "GET /blob?sv=2024&sig=aB%2F9&se=1", "GET /blob?sv=2024&sig=[redacted]&se=1"],
    ["a header for who asks", "X-Auth: swordfish7", "X-Auth: [redacted]"],
    ["the same with a scheme", "x-auth: Bearer swordfish", "x-auth: Bearer [redacted]"],
    ["a password glued to its option", "mysql -u root -psw0rdfish shop", "mysql -u root -p[redacted] shop"],
    ["the same of a dump", "mysqldump -hdb -uroot -psw0rdfish shop", "mysqldump -hdb -uroot -p[redacted] shop"],
    ["the same in a list", `exec ["mysql","-uroot","-psw0rdfish"]`, `exec ["mysql","-uroot","-p[redacted]"]`],
    ["the same without its program", "args: -u root -psw0rdfish", "args: -u root -p[redacted]"],
    [
      "a password of docker login",
      "docker login -u bob -p hunter2 hub.example",
      "docker login -u bob -p [redacted] hub.example",
    ],
    [
      "a password of docker login in a list",
      `["docker","login","-u","bob","-p","hunter2"]`,
      `["docker","login","-u","bob","-p","[redacted]"]`,
    ],
    [
      "a password of docker login, attached",
      "docker login -phunter2 hub.example",
      "docker login -p[redacted] hub.example",
    ],
    [
      "a password of docker login in words",
      "docker login --password 12345 hub.example",
      "docker login --password [redacted] hub.example",
    ],
    [
      "a number as a password of docker login",
      "podman login -p 12345 -u bob hub.example",
      "podman login -p [redacted] -u bob hub.example",
    ],
    ["a quoted password of docker login", "docker login -p 'hunter2' -u bob", "docker login -p '[redacted]' -u bob"],
    [
      "a password piped to docker login",
      "echo hunter2 | docker login -u bob --password-stdin hub.example",
      "echo [redacted] | docker login -u bob --password-stdin hub.example",
    ],
    ["a password of sshpass", "sshpass -p hunter2 ssh bob@db", "sshpass -p [redacted] ssh bob@db"],
    ["an option in a list", `["run","--db-password","hunter2"]`, `["run","--db-password","[redacted]"]`],
    ["a variable in JSON", `{"name":"DB_PASSWORD","value":"hunter2"}`, `{"name":"DB_PASSWORD","value":"[redacted]"}`],
    [
      "a variable as Go prints it",
      "{Name:DB_PASSWORD Value:hunter2 ValueFrom:nil}",
      "{Name:DB_PASSWORD Value:[redacted] ValueFrom:nil}",
    ],
    ["a passphrase", "password: correct horse battery", "password: [redacted]"],
    ["a passphrase before a pair", "password=correct horse battery user=bob", "password=[redacted] user=bob"],
    ["a passphrase before a number", "passphrase: correct horse, 3 tries", "passphrase: [redacted], 3 tries"],
    [
      "names that tell",
      "PGPASS=abc ROOT_PW=abc OTP_SEED=abc GH_PAT=abc",
      "PGPASS=[redacted] ROOT_PW=[redacted] OTP_SEED=[redacted] GH_PAT=[redacted]",
    ],
    ["user and password in one", "BASIC_AUTH=bob:swordfish", "BASIC_AUTH=[redacted]"],
    ["an option", "run --db-password hunter2 --user app", "run --db-password [redacted] --user app"],
    ["a tag", "<password>hunter2</password>", "<password>[redacted]</password>"],
    ["a hash rocket", `:secret_key_base => "abc"`, `:secret_key_base => "[redacted]"`],
    ["a header of one's own", "x-api-key: 12345", "x-api-key: [redacted]"],
    [
      "a connection string",
      "AccountName=shop;AccountKey=abc==;Suffix=net",
      "AccountName=shop;AccountKey=[redacted];Suffix=net",
    ],
    ["a signed URL", `https://s3/x?X-Amz-Signature=${hex64}&v=1`, "https://s3/x?X-Amz-Signature=[redacted]&v=1"],
    ["a long hex string", `got ${hex32}`, "got [redacted]"],
    ["a long base64 string", `value ${alnum}== end`, "value [redacted] end"],
    ["a UUID beside token", `refresh token ${uuid}`, "refresh token [redacted]"],
    ["a UUID beside key", `api key: "${uuid}"`, `api key: "[redacted]"`],
    ["a UUID that is said to be one", `${uuid} is the token`, "[redacted] is the token"],
    [
      "a key on one line",
      "k=-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY----- ok",
      "k=[redacted] ok",
    ],
  ])("%s", (_what, line, expected) => {
    const text = redact(line);

    expect(text).toBe(expected);
  });
});

describe("what is no secret stays as it is", () => {
  test.each([
    "2026-11-20T02:00:00.123Z INFO listening on 0.0.0.0:8080",
    "GET /v1/regions/us/services/web/logs?date=2026.11.20&from=0&size=100 200 12ms",
    "    at TokenParser.parse (/app/src/token.ts:12:5)",
    "    at org.springframework.web.servlet.support.AbstractAnnotationConfigDispatcherServletInitializer.onStartup(Init.java:77)",
    "TokenExpiredError: jwt expired",
    "SyntaxError: Unexpected token < in JSON at position 0",
    "/usr/local/lib/node_modules/express/lib/router/index.js:284:15",
    `request ${uuid} took 12 ms`,
    "pod checkout-service-7d4b9c6f5-x2x5p started on node ip-10-0-12-34.eu-west-1.compute.internal",
    "pod recommendation-service-7d4b9c6f5-x2x5p evicted",
    `pulled gantry/web@sha256:${hex64}`,
    `HEAD is now at ${hex40} Fix the thing`,
    `built from commit ${hex40}`,
    `trace_id=${hex32} span_id=00f067aa0ba902b7`,
    "request_id=01HF3Z3V5Q7X8Y9ZABCDEFGHJK user_id=42",
    "npm integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    `/var/lib/docker/overlay2/${hex64}/merged`,
    "docker run -u 1000:1000 gantry/web",
    "Authorization: Bearer",
    "MYSQL_ROOT_PASSWORD is not set",
    "total_tokens: 512, max_tokens=4096",
    "Bearer authentication is required",
    "basic authentication failed",
    "password: required",
    "token=null secret=${SECRET}",
    `"credentials": {"provider": "vault"}`,
    "--token",
    "http://127.0.0.1:8080/users/a@b.example",
    "see https://example.org/docs/how-to-configure-a-very-long-path-name-without-secrets",
    "================================================================",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "the author 3 of the monkey: fine",
    "step 12 of 40: 1000000000000000000000000000000000000 rows",
    "[redacted]",
    "docker run -p8080:80 -u app -p 9090:90 web",
    "mkdir -p /var/lib/mysql && tar -pxf data.tar",
    "mysql -h db -P3306 --protocol tcp",
    "signal sig 9, path=/patterns seed=3 seeds planted",
    "cat token.txt | docker login -u bob --password-stdin",
    "login of bob, then mkdir -p /srv/app; docker run -p 80:80 web",
  ])("%s", (line) => {
    const text = redact(line);

    expect(text).toBe(line);
  });
});

describe("a value on the line after its name", () => {
  test.each([
    ["below it", ["password:", "hunter2", "user: bob"], ["password:", "[redacted]", "user: bob"]],
    [
      "after a time and a level",
      ["12:00:01 INFO password:", "12:00:02 INFO hunter2"],
      ["12:00:01 INFO password:", "12:00:02 INFO [redacted]"],
    ],
    ["after the writer", ["web-1 | token =", "web-1 |   abc def"], ["web-1 | token =", "web-1 |   [redacted]"]],
    ["with line ends of Windows", ["password:\r", "hunter2\r"], ["password:\r", "[redacted]"]],
    ["after a blank line", ["Enter password:", "", "hunter2"], ["Enter password:", "", "[redacted]"]],
    [
      "in YAML",
      ["db:", "  password: |-", "    one", "    two", "  user: bob"],
      ["db:", "  password: |-", "    [redacted]", "    [redacted]", "  user: bob"],
    ],
    [
      "in a list of YAML",
      ["tokens:", "- abc", "- def", "users:", "- bob"],
      ["tokens:", "- [redacted]", "- [redacted]", "users:", "- bob"],
    ],
    [
      "in a list of JSON",
      [`"tokens": [`, `  "abc",`, `  "def"`, `],`, `"n": 1`],
      [`"tokens": [`, "  [redacted]", "  [redacted]", `],`, `"n": 1`],
    ],
    ["in JSON", [`"password":`, `    "hunter2",`, `"user": "bob"`], [`"password":`, "    [redacted]", `"user": "bob"`]],
    ["in XML", ["<password>", "  hunter2", "</password>"], ["<password>", "  [redacted]", "</password>"]],
    [
      "in a shell",
      ["login --password \\", "  hunter2 \\", "  hub.example"],
      ["login --password \\", "  [redacted]", "  hub.example"],
    ],
    [
      "of a variable in YAML",
      ["- name: DB_PASSWORD", "  value: hunter2", "- name: X", "  value: y"],
      ["- name: DB_PASSWORD", "  value: [redacted]", "- name: X", "  value: y"],
    ],
    [
      "of a variable in JSON",
      [`"name": "DB_PASSWORD",`, `"value": "hunter2"`],
      [`"name": "DB_PASSWORD",`, `"value": "[redacted]"`],
    ],
  ])("%s", (...[, lines, expected]) => {
    expect(redactLines(lines)).toEqual(expected);
    expect(redactLines([lines.join("\n")])).toEqual([expected.join("\n")]);
    expect(redactLines(expected)).toEqual(expected);
  });

  test.each([
    ["other pairs", ["credentials:", "  user: bob", "  host: db"]],
    ["a structure", [`"credentials": {`, `  "user": "bob"`, "}"]],
    ["where an error comes from", ["Error: invalid token:", "    at parse (/app/src/main.ts:12:5)", "Caused by: x"]],
    ["an error's name", ["TokenExpiredError:", "jwt expired"]],
    ["a sentence", ["the password is wrong", "trying again"]],
  ])("%s stays", (...[, lines]) => {
    expect(redactLines(lines)).toEqual(lines);
  });
});

describe("private keys", () => {
  const key = (kind: string, inner: readonly string[]): string[] => [
    `-----BEGIN ${kind}PRIVATE KEY-----`,
    ...inner,
    `-----END ${kind}PRIVATE KEY-----`,
  ];

  test("a key that is spread over lines is hidden, and nothing around it", () => {
    const lines = ["before", ...key("EC ", ["MHcCAQEE", "abc="]), "after"];

    const texts = redactLines(lines);

    expect(texts).toEqual(["before", "[redacted]", "[redacted]", "[redacted]", "[redacted]", "after"]);
  });

  test("a key inside one record of several lines is hidden", () => {
    const texts = redactLines([`loaded\n${key("", ["MHcCAQEE"]).join("\n")}\ndone`]);

    expect(texts).toEqual(["loaded\n[redacted]\n[redacted]\n[redacted]\ndone"]);
  });

  test("a key whose beginning is on another page is hidden up to its end", () => {
    const full = `12:00 ${"Zm9v".repeat(16)}`;

    const texts = redactLines(["12:00 start", full, full, "12:00 ab==", "12:00 -----END PRIVATE KEY-----", "12:01 go"]);

    expect(texts).toEqual(["12:00 start", "[redacted]", "[redacted]", "[redacted]", "[redacted]", "12:01 go"]);
  });

  test("a key without an end does not hide the log for ever", () => {
    const texts = redactLines(["-----BEGIN PRIVATE KEY-----", ...Array.from({ length: 400 }, () => "ordinary line")]);

    expect(texts.filter((text) => text === "[redacted]")).toHaveLength(256);
    expect(texts.at(-1)).toBe("ordinary line");
  });

  test("a public certificate is no secret", () => {
    expect(redact("-----BEGIN CERTIFICATE-----")).toBe("-----BEGIN CERTIFICATE-----");
  });
});

test("redacting lines twice changes nothing", () => {
  const piece = fc.constantFrom(
    ...'password:|token =|- |  |name: X_TOKEN|value: |abc|hunter2 x|[|]|{|"|,|12:00 INFO |[redacted]|docker login -p | \\|>|--password|"tokens": [|at |echo a|--password-stdin'.split(
      "|",
    ),
  );
  const line = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));

  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const once = redactLines(lines);

      expect(redactLines(once)).toEqual(once);
    }),
  );
});

test("what looks random before a colon is hidden, and stays the name of a pair", () => {
  const once = redact("Cookie:\na8Xk2Qw9ZrT4bN7vLm3JpH6sYd1GfC5e: plain");

  expect(once).toBe("Cookie:\n[redacted]: plain");
  expect(redact(once)).toBe(once);
});

test("redacting twice changes nothing", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ..."password token= secret: Authorization: Bearer basic Cookie: :// @ = : \" ' \\ [ ] { & , ; \n -- > <pwd> eyJ .".split(
        " ",
      ),
      ..." |[redacted]|api_key|hunter2|commit |sha256:|-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|".split(
        "|",
      ),
      uuid,
      hex40,
      alnum,
      jwt,
    ),
    fc.string({ maxLength: 6 }),
  );

  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const once = redact(pieces.join(""));

      expect(redact(once)).toBe(once);
    }),
  );
});

test.each(
  'a|aB3|login |login -p|login,-p |echo |echo a|redis-cli |redis-cli -a |name: TOKEN value |mysql |mysql -p|-u a -p|-u a |password: a |pwd|sig=|password|token=|password:"|\\"|eyJ|eyJ.|://a:b|://|@|-----BEGIN PRIVATE KEY-----|-----BEGIN A|AKIA|bearer |basic x1|<a|--token |)|,;)|cookie:a=|[|=|1-|a-|/|\t|gh|xox|\u001b[|authorization:digest |5f1c0f9e-5c55-4a43-9a63-0d9f3f1a0b11 '.split(
    "|",
  ),
)("16 KB of %j come to an end, and redacting them once is enough", (piece) => {
  const once = redact(piece.repeat(Math.ceil(16_384 / piece.length)));

  expect(redact(once)).toBe(once);
});
