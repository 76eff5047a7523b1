/** The parts of the view of a repository. */
export const tabs = ["status", "log", "branches", "stash", "remotes"] as const
export type GitTab = (typeof tabs)[number]

/** Where a changed file stands. */
export const areas = ["conflicted", "staged", "unstaged", "untracked"] as const
export type Area = (typeof areas)[number]

/** What the view of a repository shows, as it stands in the address. */
export interface GitAddress {
  tab: GitTab
  session: string
  /** The file whose difference is shown. */
  file: { path: string; path_b64?: string; area: Area } | null
  /** The commit that is shown. */
  commit: string
  /** Of which the log is. */
  branch: string
}

export function gitAddress(text: string): GitAddress {
  const given = new URLSearchParams(text)
  const one = (name: string) => given.get(name) ?? ""
  const area = areas.find((known) => known === one("area"))
  return {
    tab: tabs.find((known) => known === one("tab")) ?? "status", session: one("session"), commit: one("commit"), branch: one("branch"),
    file: one("file") && area ? { path: one("file"), area, ...(one("b64") && { path_b64: one("b64") }) } : null,
  }
}

export function gitQuery({ tab, session, file, commit, branch }: Partial<GitAddress>): Record<string, string | undefined> {
  return {
    tab: tab === "status" ? undefined : tab, area: file?.area, file: file?.path, b64: file?.path_b64, commit, branch, session,
  }
}
