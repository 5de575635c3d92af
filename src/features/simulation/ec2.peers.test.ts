import { DescribeImagesCommand, EC2Client, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { atEndOfFile } from "../../testing";
import { freshMoto } from "../../testing/fakes/moto";
import { until } from "../../testing/until";
import { Ec2Provider } from "./ec2-provider";

test("an instance of moto's EC2 is described, stopped and started again", async () => {
  const account = {
    region: "us-east-1",
    endpoint: await freshMoto(),
    credentials: { accessKeyId: "a", secretAccessKey: "s" },
  };
  const client = new EC2Client(account);
  atEndOfFile(async () => client.destroy());
  const { Images } = await client.send(new DescribeImagesCommand({}));
  const run = new RunInstancesCommand({ ImageId: Images?.[0]?.ImageId, MinCount: 1, MaxCount: 1 });
  const instanceId = (await client.send(run)).Instances?.[0]?.InstanceId as string;
  const provider = new Ec2Provider({ instanceId, ...account });
  atEndOfFile(() => provider.close());
  const state = async () => (await provider.describe()).state;
  await until(async () => (await state()) === "running");
  expect(await provider.describe()).toMatchObject({
    instance_id: instanceId,
    public_ip: expect.any(String),
    private_ip: expect.any(String),
    launched_at: expect.any(Date),
  });
  await provider.stop();
  await until(async () => (await state()) === "stopped");
  await provider.start();
  await until(async () => (await state()) === "running");
  await expect(new Ec2Provider({ instanceId: "i-00000000000000000", ...account }).describe()).rejects.toThrow(
    /i-0000/,
  );
}, 90_000);
