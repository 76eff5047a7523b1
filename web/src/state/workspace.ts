import { useSelected, useStore } from "../lib/store"
import { machines } from "./machines"
import { mayControl, mayRespond } from "./me"
import { sessions } from "./sessions"

/** Whether this device may look into a machine, and the machine has an agent that would show it something. */
export function useWorkspace(machine: string | undefined): boolean {
  const isAllowed = [useStore(mayRespond), useStore(mayControl)].includes(true)
  const state = useSelected(machines, (all) => all.find((one) => one.name === machine)?.agent?.state ?? "none")
  return isAllowed && state !== "none"
}

/** Where the change of a file stands among all that the session has changed. */
export function useChangesLink(session: string | undefined, path: string | undefined, line: number | undefined): string | undefined {
  const isAny = useWorkspace(useSelected(sessions, (all) => session === undefined ? undefined : all.get(session)?.machine_name))
  if (!isAny || session === undefined || path === undefined) return undefined
  return `#/changes/${encodeURIComponent(session)}?file=${encodeURIComponent(path)}` + (line ? `&line=${line}` : "")
}
