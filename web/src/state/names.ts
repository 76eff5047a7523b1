import type { Session } from "../api/types"
import { sessions } from "./sessions"

/** A session's first line, wherever it is named: its title, which the server takes from a person, the client or the first prompt. */
export function sessionName(session: Session): string {
  return session.title || session.name || projectName(session) || session.id
}

/** Its second line: project, branch and machine, without what the first line says already. */
export function placeOf(session: Session): string {
  const project = projectLabel(session.project_path)
  return [project === sessionName(session) ? "" : project, branchOf(session), session.machine_name ?? session.machine_id]
    .filter(Boolean).join(" · ")
}

/** Where there is no repository, Claude Code calls the branch `HEAD`. */
export function branchOf(session: Session): string | undefined {
  return session.git_branch === "HEAD" ? undefined : session.git_branch
}

/** The project's directory, without what leads to it. */
export function projectName(session: Session): string {
  return partsOf(session.project_path ?? "").pop() ?? ""
}

/** What a person may look for to find it. */
export function textsOf(session: Session): (string | undefined)[] {
  return [session.title, session.project_path, session.git_branch, session.machine_name, session.id, session.state]
}

/** The name of a project, told apart from others of that name on this page. */
export function projectLabel(path: string | undefined): string {
  if (!path) return ""
  return labels().get(path) ?? partsOf(path).pop() ?? path
}

let known: { of: unknown; labels: Map<string, string> } | null = null

function labels(): Map<string, string> {
  const all = sessions.get()
  if (known?.of !== all) known = { of: all, labels: labelsOf(new Set([...all.values()].map((session) => session.project_path ?? ""))) }
  return known.labels
}

function partsOf(path: string): string[] {
  return path.split(/[\\/]/).filter(Boolean)
}

/** Directories of one name get the part of their paths before it by which they differ: `acme/…/infra`. */
export function labelsOf(paths: Iterable<string>): Map<string, string> {
  const byName = new Map<string, string[]>()
  for (const path of paths) {
    const name = partsOf(path).pop()
    if (name) byName.set(name, [...(byName.get(name) ?? []), path])
  }
  const found = new Map<string, string>()
  for (const [name, same] of byName) for (const path of same) found.set(path, labelOf(path, name, same.filter((other) => other !== path)))
  return found
}

function labelOf(path: string, name: string, others: string[]): string {
  if (others.length === 0) return name
  const own = partsOf(path).reverse()
  const rest = others.map((other) => partsOf(other).reverse())
  // The nearest part that no other has at that place; else all that differs.
  for (let depth = 1; depth < own.length; depth++) {
    if (rest.some((parts) => parts[depth] === own[depth])) continue
    return depth === 1 ? `${own[1]}/${name}` : `${own[depth]}/…/${name}`
  }
  return "/" + [...own].reverse().join("/")
}
