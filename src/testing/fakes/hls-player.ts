import Hls, {
  type Loader,
  type LoaderCallbacks,
  type LoaderConfiguration,
  type LoaderContext,
  type LoaderStats,
} from "hls.js";

/** What hls.js makes of a playlist and of its first segment. */
interface HlsPlayback {
  /** In the order of the playlist; seconds. */
  readonly segments: readonly { readonly url: string; readonly duration: number }[];
  /** False for a recording. */
  readonly live: boolean;
  /** What is handed to the browser's decoders. */
  readonly tracks: { readonly video?: Track; readonly audio?: Track };
}

interface Track {
  readonly codec: string;
  readonly metadata?: { readonly width?: number; readonly height?: number };
}

/**
 * hls.js without a screen: it reads the playlist, loads the first segment and rebuilds it for the browser's decoders,
 * and gets no further, for there is none. `headers` go with the playlist's request and no other, as a page has it.
 * Rejects with what hls.js finds wrong.
 */
export async function openInHlsJs(url: string, headers: Record<string, string>): Promise<HlsPlayback> {
  // It runs in a page, or in a worker of one.
  Object.assign(globalThis, { self: globalThis, location: new URL("http://page.test/") });
  const load = (asked: string) => fetch(asked, { headers: asked === url ? headers : {} });
  const player = new Hls({
    loader: class extends FetchLoader {
      constructor() {
        super(load);
      }
    },
    enableWorker: false,
    startFragPrefetch: true,
  });
  try {
    return await opened(player, url);
  } finally {
    player.destroy();
  }
}

function opened(player: Hls, url: string): Promise<HlsPlayback> {
  const { Events } = Hls;
  const found: { -readonly [Key in keyof HlsPlayback]: HlsPlayback[Key] } = {
    segments: [],
    live: true,
    tracks: {},
  };
  return new Promise((resolve, reject) => {
    player.on(Events.ERROR, (_event, { details, error }) =>
      reject(new Error(`hls.js: ${details}: ${error.message}`, { cause: error })),
    );
    player.on(Events.LEVEL_LOADED, (_event, { details }) => {
      found.live = details.live;
      found.segments = details.fragments.map(({ url, duration }) => ({ url, duration }));
    });
    player.on(Events.FRAG_PARSING_INIT_SEGMENT, (_event, data) => {
      // Its type says less than there is.
      const { video, audio } = (data as unknown as Pick<HlsPlayback, "tracks">).tracks;
      found.tracks = { ...(video && { video }), ...(audio && { audio }) };
    });
    player.on(Events.FRAG_PARSED, () => resolve(found));
    player.loadSource(url);
  });
}

/** The part of a browser that fetches for it. */
class FetchLoader implements Loader<LoaderContext> {
  context: LoaderContext | null = null;
  readonly stats: LoaderStats = {
    ...{ aborted: false, loaded: 0, total: 0, retry: 0, chunkCount: 0, bwEstimate: 0 },
    loading: { start: 0, first: 0, end: 0 },
    parsing: { start: 0, end: 0 },
    buffering: { start: 0, first: 0, end: 0 },
  };

  constructor(private readonly fetch: (url: string) => Promise<Response>) {}

  load(context: LoaderContext, _config: LoaderConfiguration, to: LoaderCallbacks<LoaderContext>): void {
    this.context = context;
    const { stats } = this;
    stats.loading.start = performance.now();
    const failed = (code: number, text: string) => to.onError({ code, text }, context, undefined, stats);
    this.fetch(context.url).then(
      async (response) => {
        if (!response.ok) return failed(response.status, response.statusText);
        const bytes = await response.arrayBuffer();
        stats.loaded = stats.total = bytes.byteLength;
        stats.loading.first = stats.loading.end = performance.now();
        const isText = context.responseType !== "arraybuffer";
        const data = isText ? Buffer.from(bytes).toString("utf8") : bytes;
        to.onSuccess({ url: context.url, data, code: response.status }, stats, context, response);
      },
      (error: Error) => failed(0, error.message),
    );
  }

  abort(): void {
    this.stats.aborted = true;
  }

  destroy(): void {
    this.abort();
  }
}
