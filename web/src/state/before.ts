import { useEffect, useState } from "react"
import { get, part } from "../api/http"
import type { Prompt } from "../api/types"
import { oneLine } from "../lib/visible"
import { listen } from "../live/live"

export interface SpokenMessage {
  role: string
  timestamp: string
  agent_id?: string | null
  is_meta?: boolean
  blocks?: { type: string; text?: string }[]
}

const most = 600
/** Clocks and the transcript's own times differ by less. */
const slackMilliseconds = 2_000

/** By prompt; what was said before it does not change. */
const known = new Map<string, string>()

/** What the session said last before it asked; `null`: nothing, or not read yet. */
export function useSaidBefore(prompt: Prompt, isWanted: boolean): string | null {
  const [said, setSaid] = useState(known.get(prompt.id) ?? null)
  useEffect(() => {
    if (!isWanted || known.has(prompt.id)) return
    const stop = new AbortController()
    const path = `/v1/sessions/${part(prompt.session_id)}/messages`
    const read = () => {
      if (known.has(prompt.id)) return
      get<{ data: SpokenMessage[] }>(path, { view: "blocks", order: "desc", limit: 8, text_limit: most }, stop.signal).then((page) => {
        const found = lastSaid(page.data, prompt)
        if (found === null) return
        known.set(prompt.id, found)
        setSaid(found)
      }, () => undefined)
    }
    read()
    // The transcript may arrive after the prompt.
    const end = listen({ event: (event) => event.type === "transcript" && event.session_id === prompt.session_id && read(), reload: read })
    return () => {
      end()
      stop.abort()
    }
  }, [prompt.id, isWanted])
  return said
}

/** @param messages the newest first */
export function lastSaid(messages: readonly SpokenMessage[], prompt: Pick<Prompt, "opened_at" | "agent_id">): string | null {
  const until = Date.parse(prompt.opened_at) + slackMilliseconds
  for (const message of messages) {
    if (message.role === "user" && !message.is_meta && message.blocks?.some((block) => block.type === "text")) return null
    const isOwn = (message.agent_id ?? null) === (prompt.agent_id ?? null)
    if (message.role !== "assistant" || !isOwn || Date.parse(message.timestamp) > until) continue
    const text = message.blocks?.filter((block) => block.type === "text" && block.text?.trim()).pop()?.text
    if (text) return oneLine(text, most)
  }
  return null
}
