import { get, part } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import type { MonitorEvent } from "../api/types"
import { listen } from "../live/live"
import { Store } from "../lib/store"
import { build, type TimelineBuilder } from "./build"
import { Conversation } from "./conversation"
import type { Item } from "./model"

export interface TimelineState {
  items: readonly Item[]
  /** Events before the first item are on the server. */
  hasOlder: boolean
  isLoading: boolean
  error: ApiError | null
}

interface EventPage {
  events: MonitorEvent[]
  has_more?: boolean
}

const pageLimit = 200
/** Events that are kept while the newest are followed; older ones are read again when the person scrolls to them. */
const keptEvents = 3_000
const drawMilliseconds = 100

/** The events of one session: the newest page, older ones on demand, and what comes live. */
export class TimelineSource {
  readonly state = new Store<TimelineState>({ items: [], hasOlder: false, isLoading: true, error: null })
  private events: MonitorEvent[] = []
  private builder: TimelineBuilder = build([])
  private live: MonitorEvent[] = []
  private isReady = false
  private hasOlder = false
  private timer = 0
  private readonly conversation: Conversation
  private readonly stopListening: () => void
  /** Whether the person is at the end; only then are old events dropped. */
  isFollowing = true

  constructor(private readonly session: string) {
    this.conversation = new Conversation(session)
    this.stopListening = listen({ event: (event) => this.received(event), reload: () => void this.load() })
    void this.load()
  }

  close(): void {
    this.stopListening()
    clearTimeout(this.timer)
  }

  private async page(query: Record<string, number>): Promise<EventPage> {
    return get<EventPage>(`/v1/sessions/${part(this.session)}/events`, { order: "desc", limit: pageLimit, ...query })
  }

  private async load(): Promise<void> {
    this.isReady = false
    try {
      const page = await this.page({})
      this.events = page.events.reverse()
      this.hasOlder = page.has_more === true
      this.builder = build(this.events)
      this.isReady = true
      for (const event of this.live.splice(0)) this.append(event)
      this.publish(null)
      this.readSaid(this.events[0]?.timestamp)
    } catch (fault) {
      this.publish(asApiError(fault))
    }
  }

  /** Reads the page before the first event. */
  async older(): Promise<void> {
    const first = this.events[0]
    if (!this.hasOlder || !this.isReady || !first || this.state.get().isLoading) return
    this.state.update((state) => ({ ...state, isLoading: true }))
    try {
      const page = await this.page({ before: first.seq })
      this.events = [...page.events.reverse(), ...this.events]
      this.hasOlder = page.has_more === true && page.events.length > 0
      this.builder = build(this.events)
      this.publish(null)
      this.readSaid(this.events[0]?.timestamp)
    } catch (fault) {
      this.publish(asApiError(fault))
    }
  }

  private readSaid(backTo?: string): void {
    this.conversation.read(backTo).then((isNew) => {
      if (isNew) this.publish(null)
    }, () => undefined)
  }

  private received(event: MonitorEvent): void {
    if (event.session_id !== this.session) return
    if (event.type === "transcript") this.readSaid()
    if (!this.isReady) return void this.live.push(event)
    this.append(event)
    this.timer ||= window.setTimeout(() => {
      this.timer = 0
      this.trim()
      this.publish(null)
    }, drawMilliseconds)
  }

  private append(event: MonitorEvent): void {
    const last = this.events[this.events.length - 1]
    if (last && event.seq <= last.seq) return
    this.events.push(event)
    this.builder.add(event)
  }

  private trim(): void {
    if (!this.isFollowing || this.events.length <= keptEvents * 1.2) return
    this.events = this.events.slice(-keptEvents)
    this.hasOlder = true
    this.builder = build(this.events)
  }

  private publish(error: ApiError | null): void {
    const items = this.conversation.merge(this.builder.items, !this.hasOlder)
    this.state.set({ items, hasOlder: this.hasOlder, isLoading: false, error })
  }
}
