/** The archive's object; the whole key, and no other's beginning. */
export const archiveKey = (executionId: number): string => `archives/${executionId}.zip`;
