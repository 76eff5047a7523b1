import type { Session } from "../api/types"

const most = 30

/** Whether the machine's file lets sessions start there. The machine itself decides, by the real path. */
export function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith("/") ? root : root + "/"))
}

/** The directories of the machine's sessions in which new ones may start, the latest first. */
export function directoriesOf(sessions: Iterable<Session>, machine: string, roots: readonly string[]): string[] {
  const latest = [...sessions].filter((session) => session.machine_name === machine && session.project_path)
    .sort((one, other) => other.last_activity_at.localeCompare(one.last_activity_at))
  const paths = new Set(latest.map((session) => session.project_path ?? ""))
  return [...paths].filter((path) => isBelow(path, roots)).slice(0, most)
}
