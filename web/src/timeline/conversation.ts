import { get, part } from "../api/http"
import { itemsOf, type Message, type Said } from "./said"
import type { Item } from "./model"

interface MessagePage {
  data: Message[]
  next_cursor?: string | null
  /** Absent: the messages come from hooks, whose events are in the timeline already. */
  source?: string
}

interface Kept {
  id: string
  at: string
  items: Said[]
}

const pageLimit = 200
/** How many pages back the newest messages are looked for that came while nobody listened. */
const mostPages = 4
/** What is shown of a text is less. */
const textLimit = 25_000
/** How many pages are read at once beside events; where more was said, the rest is read as the person comes there. */
const coveredPages = 5
/** Messages that are kept, whichever way the person scrolls; those beyond are read again. */
const keptMessages = 4_000

/**
 * What the model said and thought between tools: hooks do not report it, transcripts do. A window on the messages of one
 * session, which moves both ways.
 */
export class Conversation {
  private messages: Kept[] = []
  private said: Said[] = []
  private texts = new Set<string>()
  /** Where the pages beyond the ends begin; absent: at the time of the message there. */
  private before: string | undefined
  private after: string | undefined
  private isBegun = false
  /** Nothing is being read between the events, and the last reading did not fail. */
  private isSettled = true
  private turn = 0
  /** What was asked for before everything was forgotten comes too late. */
  private life = 0
  private queue: Promise<unknown> = Promise.resolve()
  /** Messages before the first and after the last one are on the server. */
  hasOlder = false
  hasNewer = false

  constructor(private readonly session: string) {}

  /** The times of the first and of the last message; absent: there is none. */
  get first(): string | undefined {
    return this.messages[0]?.at
  }

  get last(): string | undefined {
    return this.messages[this.messages.length - 1]?.at
  }

  get isFull(): boolean {
    return this.messages.length >= keptMessages
  }

  /** Whether messages between a time and the first one here are left out until the person comes there. */
  isCutBefore(time: string): boolean {
    return this.isSettled && this.hasOlder && this.first !== undefined && this.first > time
  }

  isCutAfter(time: string): boolean {
    return this.isSettled && this.hasNewer && this.last !== undefined && this.last < time
  }

  /** Forgets everything, to begin elsewhere. */
  clear(): void {
    this.turn++
    this.life++
    this.take([])
    this.isBegun = this.hasOlder = this.hasNewer = false
    this.before = this.after = undefined
  }

  /** Reads messages that are new since the last time. Returns false if there are none. A window in the past has no newest. */
  readNewest(): Promise<boolean> {
    return this.inTurn(() => this.hasNewer ? Promise.resolve(false) : this.newest())
  }

  /** Reads the first messages of the session. */
  readBeginning(): Promise<unknown> {
    this.clear()
    return this.inTurn(() => this.begin("asc"))
  }

  /**
   * Reads what was said between two times, as far as the window has room.
   * @param to absent: until the end
   * @param hasOlder there are events before `from`; else what was said before it is a part of the window too
   * @param changed is called after each page
   */
  cover(from: string, to: string | undefined, hasOlder: boolean, changed: () => void): Promise<void> {
    const turn = ++this.turn
    return this.inTurn(async () => {
      if (turn !== this.turn) return
      const isElsewhere = (to !== undefined && this.first !== undefined && to < this.first) || (hasOlder && this.hasNewer && (this.last ?? "") < from)
      if (isElsewhere) this.clear()
      this.isSettled = false
      if (!this.isBegun) await (to === undefined ? this.newest() : this.begin("desc", to))
      this.drop(hasOlder ? from : "", to)
      await this.extend(from, to, changed)
      this.isSettled = true
      changed()
    })
  }

  private async extend(from: string, to: string | undefined, changed: () => void): Promise<void> {
    const own = this.turn
    let pages = 0
    const hasRoom = () => own === this.turn && !this.isFull && pages++ < coveredPages
    while (this.hasOlder && (this.first ?? "~") > from && hasRoom()) {
      changed()
      await this.readOlder()
    }
    while (this.hasNewer && (to === undefined || (this.last ?? "") < to) && hasRoom()) {
      changed()
      await this.readNewer()
    }
  }

  /** Reads the page before the first message. Where the window is full, the last ones are forgotten. */
  older(): Promise<void> {
    this.turn++
    return this.inTurn(async () => {
      await this.readOlder()
      if (this.messages.length > keptMessages) this.keepOnly(0, keptMessages)
    })
  }

  /** Reads the page after the last message. */
  newer(): Promise<void> {
    this.turn++
    return this.inTurn(async () => {
      await this.readNewer()
      if (this.messages.length > keptMessages) this.keepOnly(this.messages.length - keptMessages, this.messages.length)
    })
  }

  /** The newest messages were added again and again: forgets what is before a time. */
  shrink(from: string): void {
    this.drop(from, undefined)
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work)
    this.queue = done.catch(() => undefined)
    return done
  }

  private async begin(order: "asc" | "desc", at?: string): Promise<void> {
    const { life } = this
    const page = await this.page(order, undefined, at)
    if (life !== this.life) return
    this.isBegun = true
    this.keep(page, order === "desc", order === "desc")
    const next = page.next_cursor ?? undefined
    if (order === "desc") [this.before, this.hasOlder, this.hasNewer] = [next, next !== undefined, true]
    else [this.after, this.hasNewer, this.hasOlder] = [next, next !== undefined, false]
  }

  private async newest(): Promise<boolean> {
    let cursor: string | undefined
    let isNew = false
    const { life } = this
    const old = new Set(this.messages.map((one) => one.id))
    for (let pages = 0; ; pages++) {
      const before = this.messages.length
      const page = await this.page("desc", cursor)
      if (life !== this.life) return isNew
      // Too much was missed: what is known is too far away.
      if (pages === mostPages && old.size > 0) {
        this.take(this.messages.filter((one) => !old.has(one.id)))
        old.clear()
      }
      isNew = this.keep(page, pages > 0) || isNew
      cursor = page.next_cursor ?? undefined
      if (old.size === 0) {
        [this.isBegun, this.before, this.hasOlder] = [true, cursor, cursor !== undefined]
        return isNew
      }
      // A message that was known already: what is before it is known too.
      if (!cursor || this.messages.length - before < page.data.length) return isNew
    }
  }

  private async readOlder(): Promise<void> {
    if (!this.hasOlder) return
    const { life } = this
    const page = await this.page("desc", this.before, this.before === undefined ? this.first : undefined)
    if (life !== this.life) return
    this.keep(page, true)
    this.before = page.next_cursor ?? undefined
    this.hasOlder = this.before !== undefined
  }

  private async readNewer(): Promise<void> {
    if (!this.hasNewer) return
    const { life } = this
    const page = await this.page("asc", this.after, this.after === undefined ? this.last : undefined)
    if (life !== this.life) return
    this.keep(page, false, false)
    this.after = page.next_cursor ?? undefined
    this.hasNewer = this.after !== undefined
  }

  /** @param at where the page begins, if no cursor says it */
  private async page(order: "asc" | "desc", cursor?: string, at?: string): Promise<MessagePage> {
    const page = await get<MessagePage>(`/v1/sessions/${part(this.session)}/messages`, {
      view: "blocks", order, limit: pageLimit, text_limit: textLimit, cursor, at: cursor === undefined ? at : undefined })
    return page.source === "transcript" ? page : { data: [] }
  }

  /** @param isOlder the page comes before what is here; that decides between messages of the same time */
  private keep(page: MessagePage, isOlder: boolean, isDescending = true): boolean {
    const known = new Map(this.messages.map((one, index) => [one.id, index]))
    const [all, fresh]: [Kept[], Kept[]] = [[...this.messages], []]
    let isNew = false
    for (const message of page.data) {
      const one = { id: message.id, at: message.timestamp, items: itemsOf(message) }
      const index = known.get(message.id)
      // A message that was read while it was being written has more blocks now.
      isNew ||= one.items.length > (index === undefined ? 0 : all[index]!.items.length)
      if (index === undefined) fresh.push(one)
      else all[index] = one
    }
    if (isDescending) fresh.reverse()
    this.take([...(isOlder ? fresh : all), ...(isOlder ? all : fresh)])
    return isNew
  }

  private take(messages: Kept[]): void {
    this.messages = messages.sort((one, other) => one.at < other.at ? -1 : one.at > other.at ? 1 : 0)
    this.said = this.messages.flatMap((one) => one.items)
    this.texts = new Set(this.said.flatMap((one) => one.kind === "text" ? [one.text.trim()] : []))
  }

  /** Makes room: forgets what is not between two times. */
  private drop(from: string, to: string | undefined): void {
    if (this.messages.length < keptMessages / 2) return
    const [begin, end] = [this.messages.findIndex((one) => one.at >= from), to === undefined ? -1 : this.messages.findIndex((one) => one.at > to)]
    this.keepOnly(Math.max(0, begin), end < 0 ? this.messages.length : end)
  }

  private keepOnly(begin: number, end: number): void {
    if (begin > 0) [this.before, this.hasOlder] = [undefined, true]
    if (end < this.messages.length) [this.after, this.hasNewer] = [undefined, true]
    this.take(this.messages.slice(begin, end))
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
