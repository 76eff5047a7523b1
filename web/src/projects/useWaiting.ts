import { useMemo } from "react"
import { useStore } from "../lib/store"
import { needsAnswer, openPrompts, prompts } from "../state/prompts"
import { sessions } from "../state/sessions"

/** How many prompts wait for a person, by project. */
export function useWaiting(): ReadonlyMap<string, number> {
  const open = useStore(prompts)
  const all = useStore(sessions)
  return useMemo(() => {
    const counts = new Map<string, number>()
    for (const prompt of openPrompts(open).filter(needsAnswer)) {
      const session = all.get(prompt.session_id)
      const project = session?.project_id ?? session?.workspace_id ?? prompt.workspace_id
      if (project) counts.set(project, (counts.get(project) ?? 0) + 1)
    }
    return counts
  }, [open, all])
}

/** Changes whenever a session that the list knows begins, rests or ends: what is counted by project is read again then. */
export function useSessionsTurn(project?: string): string {
  const all = useStore(sessions)
  return useMemo(() => [...all.values()].filter((one) => !project || (one.project_id ?? one.workspace_id) === project)
    .map((one) => `${one.id} ${one.status}`).sort().join("\n"), [all, project])
}
