import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError } from "../../client/api-error";
import type { components } from "../../client/api-types";
import { FleetClient, reply, type Tokens } from "../../client/client";
import { otherTabs, type TabMessage, type Tabs } from "./tabs";

type User = components["schemas"]["User"];

/**
 * starting → signed-in, signed-out, or unreachable (the gateway does not answer; `start` tries again);
 * signed-in → signed-out by the user in any tab, expired when the gateway refuses the refresh token;
 * signed-out, expired → signed-in here or in another tab.
 */
export type SessionState = "starting" | "unreachable" | "signed-out" | "expired" | "signed-in";

/** Of `sessionStorage`: a reload of the tab finds it, and the end of the tab deletes it. */
const KEPT = "refresh_token";

/** How long a new tab waits for the answer of another one before it shows that nobody is signed in. A later one counts too. */
const ANSWER_MS = 150;

/** What the other tabs are told of a new pair. */
type Announcement = "signed-in" | "refreshed" | "nothing";

/** The user's session, one for all tabs. The access token is in memory only. */
export class Session {
  readonly client: FleetClient;
  private readonly current = signal<SessionState>("starting");
  private readonly signedIn = signal<User | undefined>(undefined);
  private readonly tabs: Tabs;
  private pair: Tokens | undefined;
  /** Of the next pair. The client refreshes by itself. */
  private announcement: Announcement = "refreshed";
  /** Whether an answer of another tab is welcome. */
  private isAsking = false;

  constructor(
    origin: string,
    private readonly storage: Storage,
  ) {
    this.client = new FleetClient(origin, { onTokens: (tokens) => this.keep(tokens) });
    this.tabs = otherTabs((message) => void this.hear(message));
  }

  get state(): ReadonlySignal<SessionState> {
    return this.current;
  }

  /** Undefined unless signed in. */
  get user(): ReadonlySignal<User | undefined> {
    return this.signedIn;
  }

  /** Whether this tab had a session before its reload. */
  get isKept(): boolean {
    return this.storage.getItem(KEPT) !== null;
  }

  /** Goes on with the session of this tab before its reload, or with that of another tab. */
  async start(): Promise<void> {
    this.current.value = "starting";
    const kept = this.storage.getItem(KEPT);
    await this.unlessUnreachable(async () => {
      if (!kept) await this.askOtherTabs();
      else if (await this.client.resume(kept)) await this.enter();
    });
  }

  /** Rejects with an `ApiError` for wrong credentials. */
  async signIn(username: string, password: string): Promise<void> {
    await this.signInWith(await reply(this.client.api.POST("/login", { body: { username, password } })));
  }

  /** With the pair that a login or the activation of an account returned. */
  async signInWith(tokens: Tokens): Promise<void> {
    this.use(tokens, "signed-in");
    await this.enter();
  }

  /** In all tabs. It waits for nothing: a gateway that does not answer keeps nobody signed in here. */
  signOut(): void {
    // The access token that could not be revoked ends by itself within ten minutes.
    void this.client.logOut().catch(() => undefined);
    this.leave();
    this.tabs.tell({ kind: "signed-out" });
  }

  private async askOtherTabs(): Promise<void> {
    this.isAsking = true;
    this.tabs.tell({ kind: "who-is-signed-in" });
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    if (this.isAsking) this.current.value = "signed-out";
  }

  private async hear(message: TabMessage): Promise<void> {
    const isSignedIn = this.current.value === "signed-in";
    switch (message.kind) {
      case "who-is-signed-in":
        if (isSignedIn && this.pair) this.tabs.tell({ kind: "answer", tokens: this.pair });
        return;
      case "answer":
        if (this.isAsking) await this.adopt(message.tokens);
        return;
      case "signed-in":
        await this.adopt(message.tokens);
        return;
      case "refreshed":
        // A refresh that was under way when the user signed out brings no session back.
        if (isSignedIn) this.use(message.tokens, "nothing");
        return;
      case "signed-out":
        this.client.useTokens(undefined);
        this.leave();
    }
  }

  private async adopt(tokens: Tokens): Promise<void> {
    this.isAsking = false;
    this.use(tokens, "nothing");
    await this.unlessUnreachable(() => this.enter());
  }

  private use(tokens: Tokens, announcement: Announcement): void {
    this.announcement = announcement;
    this.client.useTokens(tokens);
    this.announcement = "refreshed";
  }

  private keep(tokens: Tokens | undefined): void {
    this.pair = tokens;
    if (!tokens) {
      this.storage.removeItem(KEPT);
      this.signedIn.value = undefined;
      this.current.value = "expired";
      return;
    }
    this.storage.setItem(KEPT, tokens.refresh_token);
    if (this.announcement !== "nothing") this.tabs.tell({ kind: this.announcement, tokens });
  }

  private async enter(): Promise<void> {
    this.isAsking = false;
    const { data } = await reply(this.client.api.GET("/user"));
    // Signed out meanwhile.
    if (!this.pair) return;
    this.signedIn.value = data;
    this.current.value = "signed-in";
  }

  private leave(): void {
    this.isAsking = false;
    this.signedIn.value = undefined;
    this.current.value = "signed-out";
  }

  /** A refused token has ended the session already. */
  private async unlessUnreachable(enter: () => Promise<void>): Promise<void> {
    try {
      await enter();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) this.current.value = "unreachable";
    }
  }
}
