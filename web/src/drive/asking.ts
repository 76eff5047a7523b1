import { get } from "../api/http"
import type { Machine, Page, Session } from "../api/types"
import { isBelow } from "./directories"
import { isReady } from "./startSession"

/** Where a chat can begin: a project whose machine lets sessions be started there. */
export interface Target {
  project: string
  name: string
  machine: string
  path: string
  model?: string
}

interface Listed {
  id: string
  name: string
  path: string | null
  machine_name?: string
  settings?: { default_model?: unknown }
}

const most = 200

/** The projects where a chat can begin, those with the latest work first. */
export async function readTargets(machines: readonly Machine[]): Promise<Target[]> {
  return targetsOf((await get<Page<Listed>>("/v1/projects", { limit: most })).data, machines)
}

export function targetsOf(projects: readonly Listed[], machines: readonly Machine[]): Target[] {
  return projects.flatMap((project) => {
    const machine = machines.find((one) => one.name === project.machine_name)
    if (!machine || !project.path || !isReady(machine) || !isBelow(project.path, machine.agent?.may?.roots ?? [])) return []
    const model = project.settings?.default_model
    return [{ project: project.id, name: project.name, machine: machine.name, path: project.path, ...(typeof model === "string" && model && { model }) }]
  })
}

/** What hinders a chat. */
export type Hindrance = "control" | "agent" | "away" | "off" | "project"

/** @param targets `null`: not known yet */
export function hindrance(mayControl: boolean, machines: readonly Machine[], targets: readonly Target[] | null): Hindrance | null {
  if (!mayControl) return "control"
  const agents = machines.filter((one) => one.agent && one.agent.state !== "none")
  if (agents.length === 0) return "agent"
  if (agents.every((one) => one.agent?.state !== "online")) return "away"
  if (!machines.some(isReady)) return "off"
  return targets && targets.length === 0 ? "project" : null
}

/** The project that is chosen at first: that of the latest session, where it is among them. */
export function firstTarget(targets: readonly Target[], sessions: Iterable<Session>, kept: string | null): Target | undefined {
  const chosen = targets.find((one) => one.project === kept)
  if (chosen) return chosen
  const latest = [...sessions].sort((one, other) => other.last_activity_at.localeCompare(one.last_activity_at))
  for (const session of latest) {
    const found = targets.find((one) => one.project === (session.project_id ?? session.workspace_id))
    if (found) return found
  }
  return targets[0]
}
