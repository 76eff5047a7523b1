import type { MonitorEvent } from "../api/types"
import { noticeOf } from "../timeline/notices"

/** What a session does at the moment, in one line. */
export interface Activity {
  /** The tool that runs; absent between tools. */
  tool?: string
  /** The command, the file, or what was said last. */
  text: string
  /** Since when. */
  at: string
  kind: "tool" | "text" | "error" | "prompt"
  /** Subagents that run. */
  agents: number
}

const none: Activity = { text: "", at: "", kind: "text", agents: 0 }

export function activityAfter(before: Activity | undefined, event: MonitorEvent): Activity {
  const was = before ?? none
  const at = event.timestamp
  const payload = event.payload ?? {}
  const isAgents = typeof payload.agent_id === "string"
  switch (event.hook_event_name) {
    case "SubagentStart":
      return { ...was, agents: was.agents + 1 }
    case "SubagentStop":
      return { ...was, agents: Math.max(0, was.agents - 1) }
    case "UserPromptSubmit":
      return { ...was, kind: "prompt", text: promptText(event), at, tool: undefined }
    case "PreToolUse":
      return isAgents ? was : { ...was, kind: "tool", tool: event.tool_name ?? "", text: event.summary ?? "", at }
    case "PostToolUse":
    case "PostToolUseFailure":
      return isAgents || was.kind !== "tool" ? was : { ...was, tool: undefined, at, text: was.text }
    case "Stop":
      return { ...was, kind: "text", text: textOf(payload.last_assistant_message) ?? event.summary ?? "", at,
        tool: undefined, agents: 0 }
    case "StopFailure":
      return { ...was, kind: "error", text: textOf(payload.error) ?? event.summary ?? "", at, tool: undefined }
    default:
      return was
  }
}

/** A notice of the client is told in its own words. */
function promptText(event: MonitorEvent): string {
  const prompt = textOf(event.payload?.prompt)
  return (prompt && noticeOf(prompt)?.text) ?? event.summary ?? ""
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() ? value.trim() : undefined
}
