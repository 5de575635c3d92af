interface LockedPackage {
  version?: string;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
}
export function missingPlatforms(packages: Record<string, LockedPackage>): [string, LockedPackage][];
