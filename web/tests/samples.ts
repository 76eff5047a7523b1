import type { MonitorEvent, Prompt, Session } from "../src/api/types"

export function prompt(id: string, more: Partial<Prompt> = {}): Prompt {
  return { id, kind: "permission", state: "open", session_id: "s", tool_name: "Bash", opened_at: "2026-01-05T10:00:00Z", ...more }
}

export function session(id: string, more: Partial<Session> = {}): Session {
  return {
    id, machine_id: "m", status: "active", state: "running", started_at: "2026-01-05T09:00:00Z", last_activity_at: "2026-01-05T10:00:00Z", ...more,
  }
}

let seq = 0

export function hook(name: string, payload: Record<string, unknown> = {}): MonitorEvent {
  return {
    type: "tool", seq: ++seq, timestamp: "2026-01-05T10:00:00Z", session_id: "s", hook_event_name: name,
    ...(typeof payload.tool_name === "string" ? { tool_name: payload.tool_name } : {}), payload,
  }
}

/** An event of the server about a prompt. */
export function told(type: string, about: Prompt): MonitorEvent {
  return { type, seq: ++seq, timestamp: "2026-01-05T10:00:01Z", session_id: "s", payload: { prompt_id: about.id, prompt: about } }
}
