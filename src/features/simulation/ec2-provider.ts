import type { EC2 } from "@aws-sdk/client-ec2";
import type { Instance, SimulationProvider } from "./provider";
import { instanceStates } from "./simulation.schema";

interface Ec2Options {
  readonly instanceId: string;
  /** The SDK's own, AWS_REGION, when absent. */
  readonly region?: string;
  /** AWS's own when absent. */
  readonly endpoint: string | undefined;
  /** The SDK's own chain when absent. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Where nothing that the SDK reads names a region. */
const DEFAULT_REGION = "us-east-1";

/** One EC2 instance. Needs ec2:DescribeInstances, ec2:StartInstances and ec2:StopInstances. */
export class Ec2Provider implements SimulationProvider {
  private readonly ids: { InstanceIds: string[] };
  private client: Promise<EC2> | undefined;

  constructor(private readonly options: Ec2Options) {
    this.ids = { InstanceIds: [options.instanceId] };
  }

  async specs() {
    return { provider: "ec2", region: await (await this.connect()).config.region() };
  }

  async describe(): Promise<Instance> {
    const { Reservations } = await (await this.connect()).describeInstances(this.ids);
    const found = Reservations?.[0]?.Instances?.[0];
    const state = instanceStates.find((name) => name === found?.State?.Name);
    if (!found || !state) throw new Error(`EC2 knows no instance ${this.ids.InstanceIds[0]}.`);
    return {
      instance_id: found.InstanceId ?? (this.ids.InstanceIds[0] as string),
      state,
      public_ip: found.PublicIpAddress ?? null,
      private_ip: found.PrivateIpAddress ?? null,
      launched_at: found.LaunchTime ?? null,
    };
  }

  async start(): Promise<void> {
    await (await this.connect()).startInstances(this.ids);
  }

  async stop(): Promise<void> {
    await (await this.connect()).stopInstances(this.ids);
  }

  async close(): Promise<void> {
    (await this.client)?.destroy();
  }

  /** Loaded on first use: the client is large, and most installations have another provider. */
  private connect(): Promise<EC2> {
    const { region, endpoint, credentials } = this.options;
    this.client ??= import("@aws-sdk/client-ec2").then(
      async ({ EC2 }) =>
        new EC2({
          region: region ?? (await new EC2({}).config.region().catch(() => DEFAULT_REGION)),
          endpoint,
          credentials,
          maxAttempts: 2,
          requestHandler: { connectionTimeout: 3_000, requestTimeout: 5_000 },
        }),
    );
    return this.client;
  }
}
