import type { ContractCase } from "../../testing/contract";
import { FakeAws } from "../../testing/fakes/fake-aws";
import { gatewayWithTunnel } from "../../testing/worlds/gateway-with-tunnel";
import { droneClient } from "../../testing/worlds/uploads";

const refusal = { error: expect.any(String) };

export const provisioningContract: readonly ContractCase[] = [
  {
    route: "GET /drone/activate",
    title: "answers 200 with the five keys to X-Activation-Token, and 406 the second time",
    run: async () => {
      const { gateway, newDrone } = await gatewayWithTunnel();
      const { activation_token } = await newDrone(await gateway.newUser());
      const activate = () =>
        gateway.api.with({ "x-activation-token": activation_token }).get("/drone/activate");
      const { status, body } = await activate();
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          username: "drone",
          password: "pull only",
          repository: "registry.example.com/fleet",
          vpn: expect.stringMatching(/^http:.+X-Amz-Expires=30/),
          compose: expect.stringMatching(/^http:.+\/compose\/copter\.yaml\?/),
        },
      });
      expect(await activate()).toMatchObject({ status: 406, body: refusal });
    },
  },
  {
    route: "GET /drone/activate",
    title: "answers 406 without a token, and to an invalid one",
    run: async ({ anonymous, user }) => {
      expect(await anonymous.get("/drone/activate")).toMatchObject({ status: 406, body: refusal });
      expect(await user.api.get("/drone/activate")).toMatchObject({ status: 406, body: refusal });
    },
  },
  {
    route: "GET /drone/setup",
    title: "answers 200 with a script, without a token",
    run: async ({ gateway }) => {
      const reply = await fetch(`${gateway.url}/api/v1/drone/setup`);
      expect([reply.status, reply.headers.get("content-type")]).toEqual([
        200,
        "text/x-shellscript; charset=utf-8",
      ]);
      expect(await reply.text()).toMatch(/^#!\/usr\/bin\/env bash\n/);
    },
  },
  {
    route: "GET /drone/pull",
    title: "answers 200 with credentials for an hour",
    run: async () => {
      const sts = await FakeAws.start();
      const { gateway, newDrone } = await gatewayWithTunnel({
        env: { STS_ENDPOINT: sts.url },
        tunnel: "later",
      });
      const { ip } = await newDrone(await gateway.newUser());
      const { status, body } = await droneClient(gateway.api, ip).get("/drone/pull");
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          accessKeyId: sts.sessions[0]?.accessKeyId,
          secretAccessKey: "a secret",
          sessionToken: "a session token",
          accountId: sts.account,
          region: "us-east-1",
        },
      });
      expect(sts.sessions[0]?.seconds).toBe(3600);
    },
  },
  {
    route: "GET /drone/pull",
    title:
      "answers 401 without a drone's address, 404 to an address without a drone, 500 without an issuer of credentials",
    run: async ({ anonymous, user }) => {
      expect(await user.api.get("/drone/pull")).toMatchObject({ status: 401, body: refusal });
      expect(await droneClient(anonymous, "10.71.200.200").get("/drone/pull")).toMatchObject({ status: 404 });
      const { body } = await user.api.post("/drone", {
        type: "sitl",
        name: "Copter",
        vehicle_type: "copter",
      });
      expect(await droneClient(anonymous, body.ip).get("/drone/pull")).toMatchObject({
        status: 500,
        body: { error: expect.stringContaining("STS_ENDPOINT") },
      });
    },
  },
];
