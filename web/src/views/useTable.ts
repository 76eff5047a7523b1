import { useCallback, useEffect, useState } from "react"
import { get } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import type { Page, Session } from "../api/types"
import { listen } from "../live/live"
import { useRecovery } from "../live/recovery"
import { listFields, named, withRow } from "../state/rows"
import { noQuery, queryOf, requestOf, tableHash, type Query } from "./query"

/** The query of the table, which stands in the address: what is chosen is a step of the history, what is typed is none. */
export function useQuery(hashQuery: string): [Query, (change: Partial<Query>, isTyped?: boolean) => void] {
  const [query, setQuery] = useState(() => queryOf(hashQuery))
  useEffect(() => setQuery(queryOf(hashQuery)), [hashQuery])
  const change = (changed: Partial<Query>, isTyped = false) => {
    const next = { ...query, page: noQuery.page, ...changed }
    if (tableHash(next) === tableHash(query)) return
    setQuery(next)
    if (isTyped) history.replaceState(history.state, "", tableHash(next))
    else location.hash = tableHash(next)
  }
  return [query, change]
}

export interface Table {
  rows: readonly Session[] | null
  total: number
  error: ApiError | null
  isReading: boolean
  again: () => void
}

const typingMilliseconds = 200

/** One page of all sessions. Its rows follow what becomes of them; their order is that of the last reading. */
export function useTable(query: Query): Table {
  const [rows, setRows] = useState<readonly Session[] | null>(null)
  const [total, setTotal] = useState(0)
  const [error, setError] = useState<ApiError | null>(null)
  const [isReading, setReading] = useState(true)
  const [turn, setTurn] = useState(0)
  const asked = tableHash(query)
  useEffect(() => {
    const stop = new AbortController()
    setReading(true)
    const timer = window.setTimeout(() => {
      get<Page<Session>>("/v1/sessions", { ...requestOf(query), fields: listFields.join(",") }, stop.signal).then((page) => {
        setRows(page.data.map(named))
        setTotal(page.meta?.total ?? page.data.length)
        setError(null)
        setReading(false)
      }, (fault: unknown) => {
        if (stop.signal.aborted) return
        setError(asApiError(fault))
        setReading(false)
      })
    }, rows === null ? 0 : typingMilliseconds)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [asked, turn])
  const again = useCallback(() => setTurn((count) => count + 1), [])
  useRecovery(error, again)
  useEffect(() => listen({
    row: (row) => setRows((known) => known && known.map((one) => one.id === row.id ? withRow(one, row) : one)),
    reload: again,
  }), [])
  return { rows, total, error, isReading, again }
}
