import { get, part } from "../api/http"
import type { Item, NoteItem, TextItem } from "./model"

interface Block {
  type: string
  text?: string
  media_type?: string
  description?: string
}

type Said = TextItem | NoteItem

interface Message {
  id: string
  role: string
  timestamp: string
  blocks?: Block[]
  agent_id?: string
  is_meta?: boolean
}

interface MessagePage {
  data: Message[]
  next_cursor?: string | null
}

const pageLimit = 100
const mostPages = 40
/** What is shown of a text is less. */
const textLimit = 25_000
/** Beyond so many messages, those that are not shown are forgotten. */
const keptMessages = 2_000

/** What the model said and thought between tools: hooks do not report it, transcripts do. */
export class Conversation {
  private messages = new Map<string, Said[]>()
  /** All items, by time. */
  private said: Said[] = []
  private texts = new Set<string>()
  private oldest: string | null = null
  /** Where the messages before the oldest begin; `null`: there are none. */
  private next: string | null | undefined

  constructor(private readonly session: string) {}

  /** Reads messages that are new since the last time. Returns false if there are none. */
  async readNewest(): Promise<boolean> {
    let cursor: string | null | undefined
    let isNew = false
    for (let pages = 0; pages < mostPages; pages++) {
      const before = this.messages.size
      const page = await this.page(cursor)
      const isFirst = before === 0
      isNew = this.keep(page, Boolean(cursor)) || isNew
      cursor = page.next_cursor
      if (isFirst) this.next = cursor ?? null
      // A message that was known already: what is before it is known too.
      if (isFirst || !cursor || this.messages.size - before < page.data.length) break
    }
    return isNew
  }

  /** Reads on towards the beginning, until a time. Returns false if nothing is new. */
  async readBackTo(time: string): Promise<boolean> {
    let isNew = this.oldest === null ? await this.readNewest() : false
    for (let pages = 0; pages < mostPages && this.next && this.oldest !== null && this.oldest > time; pages++) {
      const page = await this.page(this.next)
      isNew = this.keep(page, true) || isNew
      this.next = page.next_cursor ?? null
    }
    return isNew
  }

  /** Forgets everything if it has become much. What is shown is read again. */
  shrink(): void {
    if (this.messages.size < keptMessages) return
    this.messages = new Map()
    this.said = []
    this.texts = new Set()
    this.oldest = null
    this.next = undefined
  }

  private page(cursor: string | null | undefined): Promise<MessagePage> {
    return get<MessagePage>(`/v1/sessions/${part(this.session)}/messages`, {
      view: "blocks", order: "desc", limit: pageLimit, text_limit: textLimit, cursor })
  }

  /** @param isOlder the page comes before one that was kept already; that decides between messages of the same time */
  private keep(page: MessagePage, isOlder: boolean): boolean {
    const fresh: Said[] = []
    // The newest comes first; of the same time, the order of the transcript counts.
    for (const message of [...page.data].reverse()) {
      if (this.oldest === null || message.timestamp < this.oldest) this.oldest = message.timestamp
      const items = message.is_meta ? [] : (message.blocks ?? []).flatMap((block, index) => item(message, block, index))
      const known = this.messages.get(message.id)
      // A message that was read while it was being written has more blocks now.
      if (known) fresh.push(...items.slice(known.length))
      else fresh.push(...items)
      this.messages.set(message.id, items)
    }
    if (fresh.length === 0) return false
    const all = isOlder ? [...fresh, ...this.said] : [...this.said, ...fresh]
    this.said = all.sort((one, other) => one.at < other.at ? -1 : one.at > other.at ? 1 : 0)
    for (const one of fresh) if (one.kind === "text") this.texts.add(one.text.trim())
    return true
  }

  /**
   * The items of events with what was said between them, by time. A text that an event reports too is shown once.
   * @param from and `to`: the times between which the events lie; absent: without a bound
   */
  merge(events: readonly Item[], from?: string, to?: string): Item[] {
    const said = this.said.filter((one) => (from === undefined || one.at >= from) && (to === undefined || one.at <= to))
    if (said.length === 0) return [...events]
    const merged: Item[] = []
    let next = 0
    for (const one of events) {
      if (one.kind === "text" && this.texts.has(one.text.trim())) continue
      while (next < said.length && said[next]!.at < one.at) merged.push(said[next++]!)
      merged.push(one)
    }
    while (next < said.length) merged.push(said[next++]!)
    return merged
  }
}

function item(message: Message, block: Block, index: number): Said[] {
  const base = {
    key: `${message.id} ${index}`, seq: 0, at: message.timestamp, ...(message.agent_id ? { agent: message.agent_id } : {}),
  }
  if (block.type === "image") {
    return [{ ...base, kind: "note", word: "image", text: [block.media_type, block.description].filter(Boolean).join(", ") }]
  }
  if (message.role !== "assistant" || (block.type !== "text" && block.type !== "thinking") || !block.text?.trim()) return []
  return [{ ...base, kind: block.type, text: block.text }]
}
