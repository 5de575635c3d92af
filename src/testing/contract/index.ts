import type { ApiClient } from "../client";
import type { TestGateway, TestUser } from "../worlds/start-gateway";

/**
 * One row of the contract's tables, tried over HTTP. Features keep their cases in `*.contract.ts`;
 * `gateway/contract.test.ts` runs them all and fails when a declared route has none.
 */
export interface ContractCase {
  /** `POST /mission/point`, as the route declares it (`:id` style parameters). */
  readonly route: string;
  /** A sentence: the request and its reply. */
  readonly title: string;
  /** Sends requests and asserts. Every case gets its own user. */
  readonly run: (world: ContractWorld) => Promise<void>;
}

export interface ContractWorld {
  readonly gateway: TestGateway;
  /** Without a token. */
  readonly anonymous: ApiClient;
  /** The case's own user, signed in. */
  readonly user: TestUser;
  /** Another user, signed in, who owns none of the case's objects. */
  readonly otherUser: TestUser;
}
