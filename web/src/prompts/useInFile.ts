import { useCallback, useEffect, useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import type { Prompt, Session } from "../api/types"
import type { DiffLine } from "../lib/diff"
import { firstChange } from "../lib/firstChange"
import { useSelected, useStore } from "../lib/store"
import { useRecovery } from "../live/recovery"
import { machines } from "../state/machines"
import { mayControl, mayRespond } from "../state/me"
import { sessions } from "../state/sessions"

/** Later, a card that grew by itself would move what the person is about to touch. */
const swapMilliseconds = 500

export interface InFile {
  /** `null`: not read yet, or the change does not fit the file as it is. */
  lines: DiffLine[] | null
  isChosen: boolean
  /** The place of the change among the files of the project; absent where the file is not below its directory. */
  href: string | undefined
  choose: (is: boolean) => void
}

/**
 * What a call would change, in the file as it is now; `null`: the file is not read from here.
 * @param path absent where a part of the call is masked
 */
export function useInFile(prompt: Prompt, path: string | undefined): InFile | null {
  const isAllowed = [useStore(mayRespond), useStore(mayControl)].includes(true)
  const name = prompt.machine_name ?? prompt.machine_id
  const isShown = useSelected(machines, (all) => {
    const agent = all.find((one) => one.name === name)?.agent
    return agent?.state === "online" && agent.may?.files === "read"
  })
  const [lines, setLines] = useState<DiffLine[] | null>(null)
  const [isChosen, choose] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const [turn, setTurn] = useState(0)
  const isWanted = isAllowed && isShown && name !== undefined && path?.startsWith("/") === true && prompt.state === "open"
  const { tool_name: tool = "", tool_input: input } = prompt
  useEffect(() => {
    if (!isWanted || !name || !path || !input) return
    const began = performance.now()
    let isCurrent = true
    void import("../workspace/inFile").then(({ readInFile }) => readInFile(name, path, tool, input)).then((found) => {
      if (!isCurrent) return
      setLines(found)
      setError(null)
      if (found && performance.now() - began < swapMilliseconds) choose(true)
    }, (fault: unknown) => isCurrent && setError(asApiError(fault)))
    return () => {
      isCurrent = false
    }
  }, [isWanted, name, path, tool, input, turn])
  useRecovery(error, useCallback(() => setTurn((count) => count + 1), []))
  const session = useSelected(sessions, (all) => all.get(prompt.session_id))
  return isWanted && path ? { lines, isChosen, choose, href: fileLink(session, path, lines ? firstChange(lines) : undefined) } : null
}

function fileLink(session: Session | undefined, path: string, line: number | undefined): string | undefined {
  const project = session?.project_id ?? session?.workspace_id
  const root = session?.project_path?.replace(/\/+$/, "") + "/"
  if (!session || !project || !path.startsWith(root)) return undefined
  const place = [["path", path.slice(root.length)], ["line", line], ["session", session.id]].filter(([, value]) => value !== undefined)
  return `#/files/${encodeURIComponent(project)}?` + place.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")
}
