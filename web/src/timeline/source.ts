import { asApiError, type ApiError } from "../api/errors"
import type { MonitorEvent } from "../api/types"
import { Retry } from "../live/retry"
import { follow } from "../live/session"
import { Store } from "../lib/store"
import { build, type TimelineBuilder } from "./build"
import { Conversation } from "./conversation"
import { readEnd, readEvents } from "./events"
import type { Target } from "./model"
import { itemOf, walk } from "./seek"
import { isCutAfter, isCutBefore, shownOf } from "./shown"
import { unread, type TimelineState } from "./state"

/** Events that are kept, whichever way the person scrolls; those beyond are read again. */
const keptEvents = 3_000
/** The first event after a pause is drawn soon; where many come, several are drawn together. */
const drawMilliseconds = 80
const busyDrawMilliseconds = 300

/** A window on the events of one session: at first the newest page; more in both directions on demand; what comes live. */
export class TimelineSource {
  readonly state = new Store<TimelineState>(unread)
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
  private readonly retry = new Retry()
  private error: ApiError | null = null
  private textError: ApiError | null = null
  /** What has failed, to be done again. */
  private failed: (() => Promise<void>) | null = null
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
    return this.events.length >= keptEvents || this.conversation.isFull
  }

  /** @param at the `seq` of an event to begin at; absent: the end */
  constructor(private readonly session: string, at?: number, private isLog = false) {
    this.conversation = new Conversation(session)
    this.stopListening = follow(session, { event: (event) => this.received(event), reload: () => void this.readOn() })
    void (at === undefined ? this.newest() : this.around(at))
  }

  /** After a failure: reads once more what could not be read. */
  again(): void {
    this.retry.stop()
    if (this.textError) this.readSaid(() => this.conversation.readNewest().then(() => this.readTexts()))
    if (this.failed) void this.read(this.failed)
  }

  /** Whether each event has a line. */
  showLog(isLog: boolean): void {
    if (this.isLog === isLog) return
    this.isLog = isLog
    this.builder = build(this.events, isLog)
    if (!this.reading) this.publish()
  }

  close(): void {
    this.stopListening()
    clearTimeout(this.timer)
    this.retry.stop()
  }

  /** Reads the newest page, in place of what is there. */
  newest(): Promise<void> {
    return this.read(async () => {
      const page = await readEvents(this.session, { order: "desc" })
      if (this.conversation.hasNewer) this.conversation.clear()
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
        readEvents(this.session, { order: "desc", before: seq + 1 }), readEvents(this.session, { order: "asc", after: seq })])
      this.events = [...before.events.reverse(), ...after.events]
      this.hasOlder = before.has_more === true
      this.hasNewer = after.has_more === true
    })
  }

  /** Reads the first page, of events and of what was said. */
  private beginning(): Promise<void> {
    return this.read(async () => {
      const [page] = await Promise.all([readEvents(this.session, { order: "asc", after: 0 }), this.conversation.readBeginning()])
      this.events = page.events
      this.hasOlder = false
      this.hasNewer = page.has_more === true
    })
  }

  async toBeginning(): Promise<void> {
    this.goal = 0
    while (this.reading) await this.reading
    if (this.goal === 0) await this.beginning()
  }

  /** Reads what is around a place, which need not be that of an event; `null`: the end. Of several places the last counts. */
  async goTo(seq: number | null): Promise<void> {
    this.goal = seq
    while (this.reading) await this.reading
    if (this.goal === seq) await (seq === null ? this.newest() : this.around(seq))
  }

  itemOf(seq: number): string | undefined {
    return itemOf(this.events, this.state.get().items, seq)
  }

  /** Reads the page before the first event, or before what was said first where that is later. */
  older(): Promise<void> {
    const first = this.events[0]
    if (this.conversation.hasOlder && (!this.hasOlder || isCutBefore(this.events, this.conversation))) return this.read(() => this.conversation.older(), false)
    if (!this.hasOlder || !first) return Promise.resolve()
    return this.read(async () => {
      const page = await readEvents(this.session, { order: "desc", before: first.seq })
      this.events = [...page.events.reverse(), ...this.events]
      this.hasOlder = page.has_more === true && page.events.length > 0
      if (this.events.length <= keptEvents * 1.2) return
      this.events = this.events.slice(0, keptEvents)
      this.hasNewer = true
    })
  }

  /** Reads the page after the last event. */
  newer(): Promise<void> {
    if (this.conversation.hasNewer && (!this.hasNewer || isCutAfter(this.events, this.conversation))) return this.read(() => this.conversation.newer(), false)
    return this.hasNewer && this.events.length > 0 ? this.readAfter() : Promise.resolve()
  }

  private readAfter(): Promise<void> {
    return this.read(async () => {
      const last = this.events[this.events.length - 1]
      // Where the page cannot be read, the person reads on from here.
      const page = await readEvents(this.session, { order: "asc", after: last?.seq ?? 0 }).catch((fault: unknown) => {
        this.hasNewer = true
        throw fault
      })
      this.events = [...this.events, ...page.events]
      this.hasNewer = page.has_more === true && page.events.length > 0
      this.dropOldest()
    })
  }

  /** As `walk`. */
  async seek(target: Target, from: string | null, step: 1 | -1): Promise<string | null> {
    const { events, hasOlder, hasNewer } = this
    this.isSeeking = true
    const found = await walk(this, target, from, step)
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
    this.publish()
  }

  /** One page at a time. */
  private read(change: () => Promise<void>, isOfEvents = true): Promise<void> {
    this.reading ??= this.change(change, isOfEvents)
    return this.reading
  }

  private async change(change: () => Promise<void>, isOfEvents: boolean): Promise<void> {
    if (this.events.length > 0) this.state.update((state) => ({ ...state, isLoading: true }))
    try {
      await change()
      this.builder = build(this.events, this.isLog)
      this.error = this.failed = null
    } catch (fault) {
      this.error = asApiError(fault)
      this.failed = change
    }
    this.reading = null
    for (const event of this.live.splice(0)) this.append(event)
    this.publish()
    if (this.error?.isPassing) this.retry.later(() => this.again())
    if (this.error) return
    this.retry.succeeded()
    if (!(this.span.first && this.span.last)) void this.readEnds()
    if (isOfEvents) this.readTexts()
  }

  /** Of a session whose ends are not among the events that are here. */
  private async readEnds(): Promise<void> {
    const { session, span } = this
    const [first, last] = await Promise.all([span.first || readEnd(session, "asc"), span.last || readEnd(session, "desc")])
    span.first ||= first
    span.last = Math.max(span.last, last)
    this.publish()
  }

  /** Reads what was said between the events that are here. */
  private readTexts(): void {
    const [first, last] = [this.events[0]?.timestamp ?? "", this.events[this.events.length - 1]?.timestamp]
    this.readSaid(() => this.conversation.cover(first, this.hasNewer ? last : undefined, this.hasOlder, () => this.publish()))
  }

  private readSaid(read: () => Promise<unknown>): void {
    read().then((isNew) => {
      const hadFailed = this.textError !== null
      this.textError = null
      if (isNew === true || hadFailed) this.publish()
    }, (fault: unknown) => {
      this.textError = asApiError(fault)
      this.publish()
      if (this.textError.isPassing) this.retry.later(() => this.again())
    })
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
        this.conversation.shrink(this.events[0]?.timestamp ?? "")
      }
      this.publish()
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

  private publish(): void {
    const { hasOlder, hasNewer, span, events, conversation } = this
    if (!hasOlder && events[0]) span.first = events[0].seq
    if (!hasNewer) span.last = Math.max(span.last, events[events.length - 1]?.seq ?? 0)
    this.state.set({
      items: shownOf(events, this.builder.items, conversation, hasOlder, hasNewer),
      hasOlder: hasOlder || conversation.hasOlder, hasNewer: hasNewer || conversation.hasNewer,
      isLoading: false, error: this.error, textError: this.textError, span: { ...span }, isPart: hasOlder || hasNewer,
    })
  }
}
