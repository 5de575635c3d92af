import type { ApiClient } from "../api-client";

interface ListedRoom {
  readonly room: number;
  readonly videocodec: string;
  /** Bits per second. */
  readonly bitrate: number;
}

/** Start a drone's video and find its room in Janus's own list; rejects when it is not there. */
export async function openRoom(api: ApiClient, janusUrl: string, droneId: number): Promise<ListedRoom> {
  await api.get(`/video_room/${droneId}/start?update=true`);
  const room = (await listRooms(janusUrl)).find((one) => one.room === droneId);
  if (!room) throw new Error(`Janus at ${janusUrl} does not list room ${droneId}.`);
  return room;
}

async function listRooms(janusUrl: string): Promise<readonly ListedRoom[]> {
  const session = await ask(janusUrl, { janus: "create" });
  const path = `${janusUrl}/${session.data?.id}`;
  const handle = await ask(path, { janus: "attach", plugin: "janus.plugin.videoroom" });
  const reply = await ask(`${path}/${handle.data?.id}`, { janus: "message", body: { request: "list" } });
  await ask(path, { janus: "destroy" });
  return reply.plugindata?.data.list ?? [];
}

interface JanusReply {
  readonly data?: { readonly id: number };
  readonly plugindata?: { readonly data: { readonly list?: readonly ListedRoom[] } };
  readonly error?: { readonly reason: string };
}

async function ask(url: string, request: Record<string, unknown>): Promise<JanusReply> {
  const response = await fetch(url, {
    method: "POST",
    signal: AbortSignal.timeout(3_000),
    body: JSON.stringify({ ...request, transaction: "demo" }),
  });
  const reply = (await response.json()) as JanusReply;
  if (reply.error) throw new Error(`Janus at ${url} refuses: ${reply.error.reason}`);
  return reply;
}
