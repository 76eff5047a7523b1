import type { MonitorEvent, PromptAnswer, PromptKind, PromptState } from "../api/types"

export interface Base {
  key: string
  seq: number
  at: string
  /** The subagent that did it; absent for the session itself. */
  agent?: string
  /** Of which kind the subagent is, where an event has told. */
  agentType?: string
}

export interface Verdict {
  kind: PromptKind
  state: PromptState
  answer?: PromptAnswer
}

export interface ToolItem extends Base {
  kind: "tool"
  name: string
  input: Record<string, unknown>
  summary: string
  /** Absent while it runs. */
  result?: unknown
  error?: string
  isInterrupted?: boolean
  milliseconds?: number
  /** `waiting`: for a person. `unknown`: its turn is over, and nothing told how it ended. */
  state: "running" | "waiting" | "done" | "failed" | "denied" | "unknown"
  /** What a person was asked about it, and what came of that. */
  verdict?: Verdict
  /** Of a call that was allowed with a rule: the same call came again, and was or was not asked about. */
  effect?: "held" | "asked"
}

export interface TextItem extends Base {
  kind: "you" | "text" | "thinking"
  text: string
}

export interface NoteItem extends Base {
  kind: "note" | "error"
  word: string
  text: string
  /** The rest, on demand. */
  more?: string
  /** The end of a background agent or command. */
  end?: TaskEnd
}

/** How the client tells of the end of a background agent or command. */
export interface TaskEnd {
  /** For an agent its own. */
  id: string
  result: string
  tokens?: number
  tools?: number
}

export type Item = ToolItem | TextItem | NoteItem

export function isError(item: Item): boolean {
  return item.kind === "error" || (item.kind === "tool" && (item.state === "failed" || item.state === "denied"))
}

export function filePath(item: Item): string | undefined {
  if (item.kind !== "tool") return undefined
  const path = item.input.file_path ?? item.input.notebook_path
  return typeof path === "string" ? path : undefined
}

/** Kinds of places that a person goes to. */
export type Target = "error" | "you" | "file"

export function isTarget(item: Item, target: Target): boolean {
  return target === "error" ? isError(item) : target === "you" ? item.kind === "you" : filePath(item) !== undefined
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function string(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}

export type { MonitorEvent }
