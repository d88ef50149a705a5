import { expect, test } from "vitest";
import type { Call } from "../../src/api/operations.ts";
import { createApi } from "../../src/api/client.ts";
import { Problem } from "../../src/api/problem.ts";
import { sendTo } from "../../src/platform/http/send.ts";

const account = { username: "dana", token: "danas-token-0123456789" };

function creation(env: readonly { readonly name: string; readonly value: string }[]): Call<"createService"> {
  const path = { region: "beijing1", service_name: "web" };
  return { op: "createService", path, query: undefined, body: { containers: [{ image: "web", env: [...env] }] } };
}

/** What is told when the service refuses this creation with this message. */
async function told(
  env: readonly { readonly name: string; readonly value: string }[],
  message: string,
): Promise<string> {
  const api = createApi({
    baseUrl: "http://service.invalid",
    send: sendTo(async () => Response.json({ message }, { status: 400 })),
  });
  try {
    await api.as(account).send(creation(env));
  } catch (error) {
    if (error instanceof Problem) return error.sentence;
  }
  throw new Error("the service did not refuse it");
}

test.each([
  [
    "a value that is repeated",
    { value: "hunter2hunter2", message: "env PASSWORD=hunter2hunter2 is bad", said: "env PASSWORD=[value] is bad." },
  ],
  [
    "a value with quotes, as it stands in JSON",
    { value: 'a"b"c"d', message: String.raw`{"value":"a\"b\"c\"d"} is bad`, said: '{"value":"[value]"} is bad.' },
  ],
  [
    "a short word, which means something else as well",
    { value: "true", message: "target must be true", said: "target must be true." },
  ],
  ["the token", { value: "unrelated", message: `the ${account.token} is bad`, said: "the [token] is bad." }],
])("what a service says in a refusal never holds a secret: %s", async (_, { value, message, said }) => {
  expect(await told([{ name: "PASSWORD", value }], message)).toContain(`: ${said}`);
});

test("a value that holds another one is taken out whole", async () => {
  const env = [
    { name: "USER", value: "hunter" },
    { name: "PASSWORD", value: "hunter-and-more" },
  ];

  expect(await told(env, "hunter-and-more is bad")).toMatch(/: \[value\] is bad\.$/u);
});
