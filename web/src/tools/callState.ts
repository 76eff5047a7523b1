import type { MarkKind } from "../parts/Mark"
import { t, textFor } from "../words/words"
import type { ListedCall } from "./toolCalls"

export const callStates = ["waiting", "running", "completed", "denied", "expired", "refused", "unknown"]

const marks: Record<string, MarkKind> = { waiting: "wait", running: "work", completed: "done", unknown: "bad" }

export function markOfCall({ status, is_error }: Pick<ListedCall, "status" | "is_error">): MarkKind {
  return is_error ? "bad" : marks[status] ?? "idle"
}

export function stateOfCall({ status, is_error }: Pick<ListedCall, "status" | "is_error">): string {
  return is_error ? t("try.failed") : textFor("calls.status." + status) ?? status
}

/**
 * `device:3`, `api_key:2` or `admin` in words.
 * @param own the number of this browser
 */
export function callerOf(text: string, own: string | null, name?: string): string {
  const [kind, id = ""] = text.split(":")
  if (kind === "admin") return t("calls.operator")
  if (kind === "device" && id === own) return t("scope.device")
  if (name) return name
  if (kind === "device") return t("calls.device", { id })
  return kind === "api_key" ? t("calls.program", { id }) : text
}
