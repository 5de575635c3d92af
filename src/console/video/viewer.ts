import { type FleetClient, reply } from "../../client/client";

/** What came last, as the browser's statistics have it. */
export interface Received {
  /** Decoded since the connection began. */
  readonly frames: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Frames a second. */
  readonly rate: number;
}

/** The browser cannot decode what the media server offers. */
export class UnplayableError extends Error {}

/** One connection to the media server, which sends a drone's video. */
export class Viewer {
  private hasEnded = false;

  private constructor(
    private readonly api: FleetClient["api"],
    private readonly path: { readonly drone_id: number; readonly viewer: string },
    private readonly connection: RTCPeerConnection,
    readonly stream: MediaStream,
  ) {}

  /** Rejects with an `ApiError`, of 409 while the camera does not send, or with `UnplayableError`. */
  static async open(api: FleetClient["api"], drone_id: number): Promise<Viewer> {
    const { viewer, sdp } = await reply(
      api.POST("/video_room/{drone_id}/viewers", { params: { path: { drone_id } } }),
    );
    // Without servers for its address: the media server's is in the offer, and it sees the browser's.
    const connection = new RTCPeerConnection();
    const stream = new MediaStream();
    connection.ontrack = ({ track }) => stream.addTrack(track);
    const opened = new Viewer(api, { drone_id, viewer }, connection, stream);
    try {
      await opened.answer(sdp);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  async received(): Promise<Received | undefined> {
    for (const report of (await this.connection.getStats()).values()) {
      if (report.type !== "inbound-rtp") continue;
      const { framesDecoded = 0, frameWidth = 0, frameHeight = 0, framesPerSecond = 0 } = report;
      return { frames: framesDecoded, width: frameWidth, height: frameHeight, rate: framesPerSecond };
    }
    return undefined;
  }

  /** Rejects with an `ApiError` of 404 when the media server has forgotten it. */
  async keepAlive(): Promise<void> {
    const path = "/video_room/{drone_id}/viewers/{viewer}/keepalive";
    await reply(this.api.POST(path, { params: { path: this.path } }));
  }

  /** The last frame stays on the screen. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    // Sent also when the page is being left. Without it the media server ends the viewer after a minute.
    const end = { params: { path: this.path }, keepalive: true };
    this.api.DELETE("/video_room/{drone_id}/viewers/{viewer}", end).catch(() => undefined);
  }

  close(): void {
    this.end();
    this.connection.close();
  }

  private async answer(offer: string): Promise<void> {
    await this.connection.setRemoteDescription({ type: "offer", sdp: offer });
    await this.connection.setLocalDescription();
    const sdp = this.connection.localDescription?.sdp ?? "";
    // The port of media that is refused.
    if (/^m=video 0 /m.test(sdp)) throw new UnplayableError();
    const path = "/video_room/{drone_id}/viewers/{viewer}/answer";
    await reply(this.api.POST(path, { params: { path: this.path }, body: { sdp } }));
  }
}
