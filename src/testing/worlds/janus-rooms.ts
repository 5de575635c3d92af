import type { JanusServer } from "../../laptop/servers/janus";

type Json = Record<string, ReturnType<typeof JSON.parse>>;

/** A client of Janus as another program would be: it looks at rooms, and makes and ends some of its own. */
export class JanusRooms {
  constructor(private readonly server: Pick<JanusServer, "url"> & { apiSecret: string; adminKey: string }) {}

  async list(): Promise<Json[]> {
    return (await this.ask({ request: "list" })).list;
  }

  async find(room: number): Promise<Json | undefined> {
    return (await this.list()).find((one) => one.room === room);
  }

  /** The plugin's answer, or its refusal as it stands in `error_code`. */
  async ask(body: Json): Promise<Json> {
    const session = await this.post("", { janus: "create" });
    const path = `/${session.data.id}`;
    const handle = await this.post(path, { janus: "attach", plugin: "janus.plugin.videoroom" });
    const reply = await this.post(`${path}/${handle.data.id}`, {
      janus: "message",
      body: { ...body, admin_key: this.server.adminKey },
    });
    await this.post(path, { janus: "destroy" });
    return reply.plugindata.data;
  }

  private async post(path: string, body: Json): Promise<Json> {
    const response = await fetch(`${this.server.url}${path}`, {
      method: "POST",
      body: JSON.stringify({ ...body, transaction: "test", apisecret: this.server.apiSecret }),
    });
    return (await response.json()) as Json;
  }
}
