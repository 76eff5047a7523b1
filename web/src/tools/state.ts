import type { MarkKind } from "../parts/Mark"
import { t, textFor } from "../words/words"
import type { ToolServer } from "./requests"

const marks: Record<string, MarkKind> = { connected: "done", failed: "bad", "needs-auth": "wait", pending: "work" }

export function markOf(server: ToolServer): MarkKind {
  return marks[server.state] ?? "idle"
}

export function stateOf(server: ToolServer): string {
  return textFor("server.state." + server.state) ?? server.state
}

/** Why it is in this state, where the machine told that or the state itself says what to do. */
export function reasonOf({ state, reason, machine_id }: ToolServer): string | null {
  // What the server has answered is of no use to a person, who logs in.
  if (machine_id === null && state === "needs-auth") return null
  if (reason) return textFor("server.reason." + reason) ?? reason
  return textFor("server.advice." + state)
}

/** Where the server counts. */
export function placeOf({ machine_id, project_path }: Pick<ToolServer, "machine_id" | "project_path">): string {
  return machine_id === null ? t("remote.place") : `${machine_id} · ${project_path ?? t("server.everywhere")}`
}
