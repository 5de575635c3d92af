import { startTestGateway, type TestGateway } from "../../testing/start-gateway";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

test("an unknown path answers 404 in an envelope", async () => {
  const reply = await gateway.api.get("/nothing-here");
  expect(reply).toMatchObject({ status: 404, body: { error: expect.any(String) } });
});

test("a new user has an address", async () => {
  const user = await gateway.newUser();
  expect(user.ip).toBe("10.70.0.2");
});
