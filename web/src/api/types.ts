import type { Unpriced } from "../lib/spent"
import type { ApprovalsFile } from "./approvals"

// Shapes of the server's answers, as far as this app reads them. Members that may be missing are optional.

export interface TokenUsage {
  input_tokens?: number
  output_tokens?: number
  cache_read_tokens?: number
  cache_creation_tokens?: number
}

/** Whether all events that the hooks numbered have arrived. */
export interface Completeness {
  state: string
  recovered?: number
  missing?: number
}

export interface Session {
  id: string
  machine_id: string
  machine_name?: string
  workspace_id?: string
  /** The same, in rows. */
  project_id?: string
  project_path?: string
  status: "active" | "idle" | "ended"
  state: "running" | "waiting" | "idle" | "error" | "unknown"
  state_source?: string
  /** The same call failed again and again. */
  stuck?: { tool_name?: string; agent_id?: string; count: number; since: string }
  /** Agents that work although the main agent's turn is over. */
  background?: { agents: number; since: string }
  waiting_for?: { kind: string; tool_name?: string; tool_use_id?: string; since: string }
  started_at: string
  last_activity_at: string
  ended_at?: string
  end_reason?: string
  message_count?: number
  tool_call_count?: number
  token_usage?: TokenUsage
  total_tokens?: number
  total_cost?: number
  /** The part of the cost without a price. */
  unpriced?: Unpriced
  usage_source?: string
  usage_confidence?: string
  /** How far the client's own sum and that of the requests differ, as a share of 1. */
  usage_difference?: number
  completeness?: Completeness
  current_model?: string
  /** The same, in rows. */
  model?: string
  permission_mode?: string
  /** What runs its Claude Code: a session of an agent can be driven. */
  runner?: "agent" | "terminal" | "unknown"
  /** Its process has ended to save memory; the next message starts it again. */
  parked?: boolean
  /** The sessions before and after /clear. */
  continues?: string
  continued_by?: string
  git_branch?: string
  title?: string
  title_source?: "person" | "client" | "prompt" | "directory"
  name?: string
  pinned?: boolean
  archived?: boolean
  last_seq?: number
  /** Absent: not known. */
  accepts_messages?: boolean
  /** The tokens that the last request carried, and the most that the model takes. */
  context?: { used: number; limit?: number }
  tasks?: { done: number; total: number; current?: string }
}

export interface MonitorEvent {
  event?: string
  type: string
  seq: number
  epoch?: string
  event_id?: string
  timestamp: string
  session_id?: string
  workspace_id?: string
  machine_id?: string
  machine_name?: string
  hook_event_name?: string
  tool_name?: string
  summary?: string
  /** The payload is left out because it is too large for a message; REST has it. */
  payload_truncated?: boolean
  payload: Record<string, unknown>
}

export interface QuestionOption {
  label: string
  description?: string
}

export interface Question {
  question: string
  header?: string
  multiSelect?: boolean
  options?: QuestionOption[]
}

export type PromptKind = "permission" | "question" | "plan" | "elicitation" | "input"
export type PromptState = "open" | "answered" | "overtaken" | "expired" | "gone"

export interface PromptStep {
  step: string
  at: string
  device_id?: string
  evidence?: string
}

export interface PromptAnswer {
  id?: string
  decision?: string
  scope?: string
  by?: { kind?: string; id?: string; name?: string }
  at?: string
  /** The reason of a refusal, or the answers to the questions. */
  said?: string
  outcome?: string
}

export interface Prompt {
  id: string
  kind: PromptKind
  state: PromptState
  session_id: string
  machine_id?: string
  machine_name?: string
  workspace_id?: string
  agent_id?: string | null
  tool_name?: string
  tool_use_id?: string
  /** Who asked for the call, if not the session. */
  asked_by?: { kind: string; id: string; name?: string }
  tool_input?: Record<string, unknown>
  title?: string
  detail?: string
  question?: string
  risk?: string
  questions?: Question[]
  plan?: string
  schema?: FormSchema
  suggestions?: unknown[]
  opened_at: string
  closed_at?: string
  /** Where an elicitation asks a person to open an address instead of filling in a form. */
  url?: string
  held_until?: string
  answerable?: boolean
  /** The machine's file allows a rule beyond the session, or a changed input. Only while a hook waits. */
  always_allowed?: boolean
  change_input_allowed?: boolean
  modes_allowed?: string[]
  /** Rules for exactly this call, also those that Claude Code suggests, or any for this tool. */
  rules_allowed?: "exact" | "suggested" | "any"
  /** What happens once nobody has answered by `held_until`. */
  after?: "ask" | "deny"
  content_truncated?: boolean
  /** JSON Pointers into `tool_input`: the values that are shown masked. */
  masked?: string[]
  answer?: PromptAnswer
  late_answers?: PromptAnswer[]
  life?: PromptStep[]
}

interface TitledValue {
  const?: unknown
  title?: string
}

export interface FormField {
  type?: string
  title?: string
  description?: string
  enum?: unknown[]
  enumNames?: string[]
  oneOf?: TitledValue[]
  anyOf?: TitledValue[]
  /** Of a list. */
  items?: FormField
  minItems?: number
  maxItems?: number
  default?: unknown
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

export interface FormSchema {
  properties?: Record<string, FormField>
  required?: string[]
}

export interface Machine {
  id: string
  name: string
  reported_name?: string
  created_at?: string
  last_seen_at?: string
  session_count?: number
  /** Of what the machine sent beside its sessions. */
  completeness?: Completeness
  /** How its clock differs from the server's; absent: it has stated no time since the server's start. */
  clock?: { offset_seconds: number; drift_ppm?: number }
  /** Absent: its hooks have stated none since the server's start. */
  hooks_version?: string
  agent?: MachineAgent
  /** Only of a machine that is read alone. Absent: it has never reported the file. */
  approvals?: ApprovalsFile
}

/** The program that starts and drives Claude Code on the machine. */
export interface MachineAgent {
  state: "online" | "offline" | "none"
  version?: string
  /** The programs of Claude Code that it found. */
  clients?: { name?: string; version?: string; path?: string }[]
  /** A newer version that the server has for the machine. */
  update?: string
  /** What the machine's own file allows; absent unless it is online. */
  may?: { control: boolean; modes: string[]; roots: string[]; sessions: number; pty?: boolean; files?: string; git?: string }
}

/** Text that a session is writing. It is no event, and is not stored. */
export interface Piece {
  session_id: string
  message_id: string
  text: string
  /** It stands in place of all that came before for the message. */
  replaces?: boolean
  done?: boolean
}

/** What the terminal of a session shows. It is no event, and is not stored. */
export interface Screen {
  session_id: string
  data: string
  /** What was shown before is to be forgotten. */
  restarts?: boolean
}

export interface Me {
  kind: string
  id?: string
  name?: string
  owner?: string
  capabilities: string[]
}

export interface MachineKey {
  id: string
  name: string
  prefix?: string
  created_at: string
  last_used_at?: string
  revoked_at?: string
}

export interface Message {
  id: string
  kind?: "message" | "interrupt"
  as?: "command"
  state: "queued" | "delivered" | "read" | "cancelled" | "failed"
  text?: string
  detail?: string
  queued_at: string
}

export interface Page<T> {
  data: T[]
  next_cursor?: string | null
  has_more?: boolean
  meta?: { total?: number | null }
}
