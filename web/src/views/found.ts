import { useEffect, useState } from "react"
import { get } from "../api/http"
import type { Page, Session } from "../api/types"
import { listFields, named } from "../state/rows"
import { sessions } from "../state/sessions"
import { useStore } from "../lib/store"

const pauseMilliseconds = 150

interface FoundSessions {
  rows: readonly Session[]
  total: number
}

const none: FoundSessions = { rows: [], total: 0 }

/** Sessions whose title, directory, machine or id has the words, also those that the list does not hold. */
export function useSessionsBy(text: string, limit: number, more: { machine?: string; project?: string } = {}): FoundSessions {
  const [found, setFound] = useState<FoundSessions>(none)
  const { machine = "", project = "" } = more
  useEffect(() => {
    if (!text.trim()) return setFound(none)
    const stop = new AbortController()
    const timer = window.setTimeout(() => {
      get<Page<Session>>("/v1/sessions", { q: text.trim(), archived: "all", machine, project_id: project, limit, fields: listFields.join(",") }, stop.signal)
        .then((page) => setFound({ rows: page.data.map(named), total: page.meta?.total ?? page.data.length }), () => undefined)
    }, pauseMilliseconds)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, limit, machine, project])
  return found
}

/** The sessions of results by their ids; those that the list does not hold are read. */
export function useNamed(ids: readonly string[]): ReadonlyMap<string, Session> {
  const listed = useStore(sessions)
  const [read, setRead] = useState<ReadonlyMap<string, Session>>(new Map())
  const missing = [...new Set(ids)].filter((id) => !listed.has(id) && !read.has(id)).slice(0, 50).join(" ")
  useEffect(() => {
    if (!missing) return
    const stop = new AbortController()
    for (const id of missing.split(" ")) {
      get<Session>("/v1/sessions/" + encodeURIComponent(id), {}, stop.signal).then((one) =>
        setRead((all) => new Map(all).set(id, named(one))), () => undefined)
    }
    return () => stop.abort()
  }, [ids.join(" ")])
  return new Map([...read, ...listed])
}
