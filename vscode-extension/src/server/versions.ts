/** Whether two versions may not understand each other: before 1.0 that is the minor number, then the major one. */
export function differs(ours: string, theirs: string): boolean {
  const key = (version: string): string => {
    const [major = "", minor = ""] = version.split(".");
    return major === "0" ? `0.${minor}` : major;
  };
  return key(ours) !== key(theirs);
}
