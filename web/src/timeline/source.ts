import { get, part } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import type { MonitorEvent } from "../api/types"
import { follow } from "../live/session"
import { Store } from "../lib/store"
import { build, type TimelineBuilder } from "./build"
import { Conversation } from "./conversation"
import { isTarget, type Item, type Target } from "./model"

export interface TimelineState {
  items: readonly Item[]
  /** Events before the first item are on the server. */
  hasOlder: boolean
  /** Events after the last item are on the server. */
  hasNewer: boolean
  isLoading: boolean
  error: ApiError | null
  /** The `seq` of the session's first and last event; 0: not known yet. */
  span: Span
}

export interface Span {
  first: number
  last: number
}

const pageLimit = 200
/** Events that are kept, whichever way the person scrolls; those beyond are read again. */
const keptEvents = 3_000
/** How many pages one search for a place may read. */
const searchedPages = 50
/** The first event after a pause is drawn soon; where many come, several are drawn together. */
const drawMilliseconds = 80
const busyDrawMilliseconds = 300

/** A window on the events of one session: at first the newest page; more in both directions on demand; what comes live. */
export class TimelineSource {
  readonly state = new Store<TimelineState>(
    { items: [], hasOlder: false, hasNewer: false, isLoading: true, error: null, span: { first: 0, last: 0 } })
  private events: MonitorEvent[] = []
  private builder: TimelineBuilder = build([])
  /** What has come while a page was being read. */
  private live: MonitorEvent[] = []
  private reading: Promise<void> | null = null
  /** A page with the events after the last one is about to be read: those that come until then are in it. */
  private isBehind = false
  private hasOlder = false
  private hasNewer = false
  private readonly span = { first: 0, last: 0 }
  private goal: number | null = null
  private timer = 0
  private drawnAt = 0
  private readonly conversation: Conversation
  private readonly stopListening: () => void
  /** Whether the person is at the end; only then are old events dropped as new ones come. */
  isFollowing = true
  /** The `seq` of the first event that came while the person was not at the end; 0: none did. */
  firstUnseen = 0
  /**
   * While a place is looked for, pages are read for that and not for what is seen. The view ends it when it shows the
   * place that was found.
   */
  isSeeking = false

  /** Whether reading more drops what is at the other end. */
  get isFull(): boolean {
    return this.events.length >= keptEvents
  }

  /** @param at the `seq` of an event to begin at; absent: the end */
  constructor(private readonly session: string, at?: number, private isLog = false) {
    this.conversation = new Conversation(session)
    this.stopListening = follow(session, { event: (event) => this.received(event), reload: () => void this.readOn() })
    void (at === undefined ? this.newest() : this.around(at))
  }

  /** Whether each event has a line. */
  showLog(isLog: boolean): void {
    if (this.isLog === isLog) return
    this.isLog = isLog
    this.builder = build(this.events, isLog)
    if (!this.reading) this.publish(null)
  }

  close(): void {
    this.stopListening()
    clearTimeout(this.timer)
  }

  /** Reads the newest page, in place of what is there. */
  newest(): Promise<void> {
    return this.read(async () => {
      const page = await this.page({ order: "desc" })
      this.events = page.events.reverse()
      this.hasOlder = page.has_more === true
      this.hasNewer = false
    })
  }

  /** Events may have been missed. A window in the past reads on when the person comes to its end. */
  private async readOn(): Promise<void> {
    this.isBehind = true
    while (this.reading) await this.reading
    this.isBehind = false
    if (this.hasNewer) return
    if (this.events.length === 0) return this.newest()
    return this.readAfter()
  }

  /** Reads the pages before and after an event, in place of what is there. */
  private around(seq: number): Promise<void> {
    return this.read(async () => {
      const [before, after] = await Promise.all([
        this.page({ order: "desc", before: seq + 1 }), this.page({ order: "asc", after: seq })])
      this.events = [...before.events.reverse(), ...after.events]
      this.hasOlder = before.has_more === true
      this.hasNewer = after.has_more === true
    })
  }

  /** Reads what is around a place, which need not be that of an event; `null`: the end. Of several places the last counts. */
  async goTo(seq: number | null): Promise<void> {
    this.goal = seq
    while (this.reading) await this.reading
    if (this.goal === seq) await (seq === null ? this.newest() : this.around(seq))
  }

  /** The key of the item that tells of an event: its own, that of its call, or the last one before it. */
  itemOf(seq: number): string | undefined {
    const event = this.events.find((one) => one.seq === seq)
    const call = (event?.payload as { tool_use_id?: unknown } | undefined)?.tool_use_id
    const { items } = this.state.get()
    const own = items.find((item) => item.seq === seq || (item.kind === "tool" && item.key === call))
    return (own ?? items.filter((item) => item.seq > 0 && item.seq < seq).pop() ?? items[0])?.key
  }

  /** Reads the page before the first event. */
  older(): Promise<void> {
    const first = this.events[0]
    if (!this.hasOlder || !first) return Promise.resolve()
    return this.read(async () => {
      const page = await this.page({ order: "desc", before: first.seq })
      this.events = [...page.events.reverse(), ...this.events]
      this.hasOlder = page.has_more === true && page.events.length > 0
      if (this.events.length <= keptEvents * 1.2) return
      this.events = this.events.slice(0, keptEvents)
      this.hasNewer = true
    })
  }

  /** Reads the page after the last event. */
  newer(): Promise<void> {
    return this.hasNewer && this.events.length > 0 ? this.readAfter() : Promise.resolve()
  }

  private readAfter(): Promise<void> {
    return this.read(async () => {
      const last = this.events[this.events.length - 1]
      // Where the page cannot be read, the person reads on from here.
      const page = await this.page({ order: "asc", after: last?.seq ?? 0 }).catch((fault: unknown) => {
        this.hasNewer = true
        throw fault
      })
      this.events = [...this.events, ...page.events]
      this.hasNewer = page.has_more === true && page.events.length > 0
      this.dropOldest()
    })
  }

  /**
   * Looks for the nearest item of a kind, also in what has to be read for that.
   * @param from the key of the item to begin beside; `null`: the end
   * @param step -1: before it; 1: after it
   * @returns its key; `null` if there is none
   */
  async seek(target: Target, from: string | null, step: 1 | -1): Promise<string | null> {
    const { events, hasOlder, hasNewer } = this
    this.isSeeking = true
    const found = await this.walk(target, from, step)
    if (found !== null) return found
    // There is none: the person stays where they were.
    if (this.events !== events && hasNewer) this.show(events, hasOlder)
    else if (this.events !== events) await this.newest()
    this.isSeeking = false
    return null
  }

  private show(events: MonitorEvent[], hasOlder: boolean): void {
    this.events = events
    this.hasOlder = hasOlder
    this.hasNewer = true
    this.builder = build(events, this.isLog)
    this.publish(null)
  }

  private async walk(target: Target, from: string | null, step: 1 | -1): Promise<string | null> {
    for (let pages = 0; pages < searchedPages; pages++) {
      const { items, hasOlder, hasNewer } = this.state.get()
      const known = from === null ? -1 : items.findIndex((item) => item.key === from)
      const start = known < 0 ? (step < 0 ? items.length : -1) : known
      for (let at = start + step; at >= 0 && at < items.length; at += step) {
        const item = items[at]
        if (item && isTarget(item, target)) return item.key
      }
      // What is there now has been looked through: go on beside it.
      const edge = step < 0 ? items[0] : items[items.length - 1]
      if (!edge || !(step < 0 ? hasOlder : hasNewer)) return null
      from = edge.key
      await (step < 0 ? this.older() : this.newer())
    }
    return null
  }

  /** One page at a time. */
  private read(change: () => Promise<void>): Promise<void> {
    this.reading ??= this.change(change)
    return this.reading
  }

  private async change(change: () => Promise<void>): Promise<void> {
    if (this.events.length > 0) this.state.update((state) => ({ ...state, isLoading: true }))
    let error: ApiError | null = null
    try {
      await change()
      this.builder = build(this.events, this.isLog)
    } catch (fault) {
      error = asApiError(fault)
    }
    this.reading = null
    for (const event of this.live.splice(0)) this.append(event)
    this.publish(error)
    if (!error && !(this.span.first && this.span.last)) void this.readEnds()
    if (!error) this.readSaid(() => this.conversation.readBackTo(this.events[0]?.timestamp ?? ""))
  }

  /** Of a session whose ends are not among the events that are here. */
  private async readEnds(): Promise<void> {
    const end = async (order: string) => (await this.page({ order, limit: 1 }).catch(() => null))?.events[0]?.seq ?? 0
    const [first, last] = await Promise.all([this.span.first || end("asc"), this.span.last || end("desc")])
    this.span.first ||= first
    this.span.last = Math.max(this.span.last, last)
    this.publish(this.state.get().error)
  }

  private page(query: Record<string, string | number>): Promise<{ events: MonitorEvent[]; has_more?: boolean }> {
    return get(`/v1/sessions/${part(this.session)}/events`, { limit: pageLimit, ...query })
  }

  private readSaid(read: () => Promise<boolean>): void {
    read().then((isNew) => {
      if (isNew) this.publish(null)
    }, () => undefined)
  }

  private received(event: MonitorEvent): void {
    this.span.last = Math.max(this.span.last, event.seq)
    if (!this.isFollowing) this.firstUnseen ||= event.seq
    if (event.type === "transcript") this.readSaid(() => this.conversation.readNewest())
    this.append(event)
    if (this.reading) return
    const pause = performance.now() - this.drawnAt < 2 * busyDrawMilliseconds ? busyDrawMilliseconds : drawMilliseconds
    if (!this.timer) this.timer = window.setTimeout(() => {
      this.timer = 0
      this.drawnAt = performance.now()
      if (this.isFollowing && this.events.length > keptEvents * 1.2) {
        this.dropOldest()
        this.builder = build(this.events, this.isLog)
        this.conversation.shrink()
      }
      this.publish(null)
    }, pause)
  }

  /** At the end of the window, if that is the end of what there is; else it is read when the person comes there. */
  private append(event: MonitorEvent): void {
    if (this.reading) return void this.live.push(event)
    const last = this.events[this.events.length - 1]
    if (this.hasNewer || this.isBehind || (last && event.seq <= last.seq)) return
    // Its payload is too large for a message; a page has it.
    if (event.payload_truncated) return void this.readOn()
    this.events.push(event)
    this.builder.add(event)
  }

  private dropOldest(): void {
    if (this.events.length <= keptEvents * 1.2) return
    this.events = this.events.slice(-keptEvents)
    this.hasOlder = true
  }

  private publish(error: ApiError | null): void {
    const { hasOlder, hasNewer, span } = this
    if (!hasOlder && this.events[0]) span.first = this.events[0].seq
    if (!hasNewer) span.last = Math.max(span.last, this.events[this.events.length - 1]?.seq ?? 0)
    const from = hasOlder ? this.events[0]?.timestamp : undefined
    const to = hasNewer ? this.events[this.events.length - 1]?.timestamp : undefined
    const items = this.conversation.merge(this.builder.items, from, to)
    this.state.set({ items, hasOlder, hasNewer, isLoading: false, error, span: { ...span } })
  }
}
