import { redacted } from "./client-config";

const config = `# fleet-gateway peer users/x/10.70.0.2
[Interface]
PrivateKey = mCz1fT4oXc2VvGqfMxJ0Ew3O6mWlnXlXlXlXlXlXlXk=
Address = 10.70.0.2/32

[Peer]
PublicKey = hubhubhub=
Endpoint = 127.0.0.1:51823
`;

test("a config is shown without its private key", () => {
  expect(redacted(config)).toBe(`    [Interface]
    PrivateKey = (not shown)
    Address = 10.70.0.2/32
    [Peer]
    PublicKey = hubhubhub=
    Endpoint = 127.0.0.1:51823`);
});
