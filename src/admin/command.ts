/** One thing an operator can do from a shell. It prints what it did and rejects with what was wrong. */
export interface AdminCommand {
  /** `create-user --username EMAIL …` */
  readonly usage: string;
  readonly summary: string;
  run(args: string[]): Promise<void>;
}
