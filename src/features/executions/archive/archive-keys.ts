/** The key of the archive's object. It is no prefix of another key. */
export const archiveKey = (executionId: number): string => `archives/${executionId}.zip`;
