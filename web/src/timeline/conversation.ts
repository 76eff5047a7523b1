import { get, part } from "../api/http"
import type { Item, TextItem } from "./model"

interface Block {
  type: string
  text?: string
}

interface Message {
  id: string
  role: string
  timestamp: string
  blocks?: Block[]
  agent_id?: string
  is_meta?: boolean
}

const pageLimit = 100
const mostPages = 5

/** What the model said and thought between tools: hooks do not report it, transcripts do. */
export class Conversation {
  private readonly messages = new Map<string, TextItem[]>()
  private oldest: string | null = null

  constructor(private readonly session: string) {}

  /** Reads the newest messages, or those back to a time. Returns false if there is nothing new. */
  async read(backTo?: string): Promise<boolean> {
    if (backTo !== undefined && this.oldest !== null && this.oldest <= backTo) return false
    let cursor: string | null | undefined
    let isNew = false
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await get<{ messages?: Message[]; data?: Message[]; next_cursor?: string | null }>(
        `/v1/sessions/${part(this.session)}/messages`, { order: "desc", limit: pageLimit, cursor })
      const messages = page.messages ?? page.data ?? []
      for (const message of messages) isNew = this.keep(message) || isNew
      const last = messages[messages.length - 1]
      if (last && (this.oldest === null || last.timestamp < this.oldest)) this.oldest = last.timestamp
      cursor = page.next_cursor
      if (!cursor || !last || backTo === undefined || last.timestamp <= backTo) break
    }
    return isNew
  }

  private keep(message: Message): boolean {
    if (this.messages.has(message.id) || message.role !== "assistant" || message.is_meta) return false
    const items = (message.blocks ?? []).flatMap((block, index) => item(message, block, index))
    this.messages.set(message.id, items)
    return items.length > 0
  }

  /** The items of events with what was said between them, by time. A text that an event reports too is shown once. */
  merge(events: readonly Item[], isWhole: boolean): Item[] {
    const from = isWhole ? "" : (events[0]?.at ?? "")
    const said = [...this.messages.values()].flat().filter((one) => one.at >= from)
      .sort((one, other) => one.at.localeCompare(other.at))
    if (said.length === 0) return [...events]
    const texts = new Set(said.map((one) => one.text.trim()))
    const own = events.filter((one) => one.kind !== "text" || !texts.has(one.text.trim()))
    const merged: Item[] = []
    let next = 0
    for (const one of own) {
      while (next < said.length && said[next]!.at < one.at) merged.push(said[next++]!)
      merged.push(one)
    }
    return [...merged, ...said.slice(next)]
  }
}

function item(message: Message, block: Block, index: number): TextItem[] {
  if ((block.type !== "text" && block.type !== "thinking") || !block.text?.trim()) return []
  return [{
    kind: block.type, key: `${message.id} ${index}`, seq: 0, at: message.timestamp, text: block.text,
    ...(message.agent_id ? { agent: message.agent_id } : {}),
  }]
}
