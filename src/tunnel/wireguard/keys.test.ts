import { execFileSync } from "node:child_process";
import { isPrivateKey, isPublicKey } from "../../domain/wireguard";
import { generateKeyPair, publicKeyOf, readHubKey } from "./keys";

test("a generated pair is what `wg pubkey` makes of its private half", () => {
  for (let round = 0; round < 20; round++) {
    const { privateKey, publicKey } = generateKeyPair();
    expect(isPrivateKey(privateKey) && isPublicKey(publicKey)).toBe(true);
    const theirs = execFileSync("wg", ["pubkey"], { input: `${privateKey}\n`, encoding: "utf8" }).trim();
    expect(publicKey).toBe(theirs);
    expect(publicKeyOf(privateKey)).toBe(theirs);
  }
});

test.each([
  ["short", "c2hvcnQ=", "it has 5"],
  ["too long", Buffer.alloc(33, 1).toString("base64"), "it has 33"],
  ["absent", undefined, "is not set"],
])("a hub key that is %s is named without its value", (_, value, why) => {
  expect(() => readHubKey("USERS_PRIVATE_KEY", value)).toThrow(why);
  try {
    readHubKey("USERS_PRIVATE_KEY", value);
  } catch (error) {
    expect(String(error)).toContain("USERS_PRIVATE_KEY");
    expect(value === undefined || !String(error).includes(value)).toBe(true);
  }
});
