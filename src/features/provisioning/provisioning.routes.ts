import type { Context } from "koa";
import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { clientDisconnect } from "../../http/client-disconnect";
import { type Route, route } from "../../http/route";
import type { TemporaryCredentials } from "../../platform/objects/sts";
import type { ActivationService } from "./activation.service";
import { setupScript } from "./setup-script";

const ActivationReply = z
  .object({
    username: z.string().describe("For `docker login`; empty for a public registry."),
    password: z.string(),
    repository: z.string().describe("Registry of the drone's images: host, and path where there is one."),
    vpn: z.string().describe("Presigned for 30 seconds: the drone's WireGuard client config."),
    compose: z.string().describe("Presigned for 5 minutes: the Docker Compose file of its computer."),
  })
  .meta({ id: "Activation" });

const CredentialsReply = z
  .object({
    accessKeyId: z.string(),
    secretAccessKey: z.string(),
    sessionToken: z.string(),
    accountId: z.string().describe("Empty where the object store has no accounts."),
    region: z.string(),
  })
  .meta({ id: "TemporaryCredentials" });

export function provisioningRoutes(
  activation: Pick<ActivationService, "activate">,
  credentialsOf: (droneId: number) => Promise<TemporaryCredentials>,
): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/drone/activate",
      tag: "Drones",
      summary: "Get what a drone's computer needs to start, once",
      description:
        "Send the ten digits as `X-Activation-Token`, or as a Bearer. Waits up to 15 seconds for the drone's tunnel. A call that fails leaves the token valid.",
      guard: "token",
      tokenHeader: "X-Activation-Token",
      envelope: "B",
      success: { status: 200, schema: ActivationReply },
      documents: {
        406: "The token is wrong, used or expired, or the tunnel is not ready yet; the message says which.",
        429: "Too many wrong tokens, from this address or in all.",
      },
      handle: ({ ctx, network }) => activation.activate(tokenOf(ctx), network, clientDisconnect(ctx)),
    }),
    route({
      method: "get",
      path: "/drone/setup",
      tag: "Drones",
      summary: "The script that sets up a drone's computer",
      description:
        "For bash, as root: `curl -fsS {origin}/api/v1/drone/setup | bash -s -- {origin} {activation token}`. It activates the drone, brings its tunnel up and starts its containers. It is the same for all drones and holds no secret.",
      guard: "public",
      envelope: "raw",
      success: {
        status: 200,
        schema: z.string(),
        description: "The script.",
        mediaTypes: ["text/x-shellscript"],
      },
      handle: ({ ctx }) => {
        ctx.type = "text/x-shellscript; charset=utf-8";
        ctx.body = setupScript;
      },
    }),
    route({
      method: "get",
      path: "/drone/pull",
      tag: "Drones",
      summary: "Credentials for the drone's own objects, for an hour",
      description:
        "The credentials write and read `uploads/<drone_id>/` of the asset bucket, and read `assets/<drone_id>/`.",
      guard: "drone",
      envelope: "B",
      success: { status: 200, schema: CredentialsReply },
      handle: ({ caller }) => credentialsOf(caller.id),
    }),
  ];
}

function tokenOf(ctx: Context): string {
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(ctx.get("authorization")) ?? [];
  const token = ctx.get("x-activation-token").trim() || bearer;
  if (!token) throw new DomainError("activation_failed", "Send the activation token as X-Activation-Token.");
  return token;
}
