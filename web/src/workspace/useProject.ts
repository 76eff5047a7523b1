import { get, part } from "../api/http"
import type { ApiError } from "../api/errors"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { sessions } from "../state/sessions"

/** A directory on a machine. */
export interface Project {
  id: string
  path: string
  machine: string
}

interface Answer {
  id: string
  path?: string | null
  machine_name?: string
}

/** The project by what the list knows of its sessions, else by the server. */
export function useProject(id: string): { project: Project | null; error: ApiError | null; again: () => void } {
  const all = useStore(sessions)
  const known = [...all.values()].find((session) => (session.project_id ?? session.workspace_id) === id)
  const path = known?.project_path
  const machine = known?.machine_name
  const { value, error, again } = useLoaded(async (): Promise<Project | null> => {
    if (path && machine) return { id, path, machine }
    const found = await get<Answer>("/v1/projects/" + part(id))
    return { id, path: found.path ?? "", machine: found.machine_name ?? "" }
  }, [id, path, machine])
  return { project: value?.id === id ? value : null, error, again }
}
