import type { ApiError } from "../api/errors"
import type { Item } from "./model"

export interface TimelineState {
  items: readonly Item[]
  /** Events before the first item are on the server. */
  hasOlder: boolean
  /** Events after the last item are on the server. */
  hasNewer: boolean
  isLoading: boolean
  error: ApiError | null
  /** Why what was said could not be read. */
  textError: ApiError | null
  /** The `seq` of the session's first and last event; 0: not known yet. */
  span: Span
  /** Whether events of the session are not among those that are here. */
  isPart: boolean
}

export interface Span {
  first: number
  last: number
}

export const unread: TimelineState = {
  items: [], hasOlder: false, hasNewer: false, isLoading: true, error: null, textError: null, span: { first: 0, last: 0 }, isPart: false,
}
