import { Store } from "./store"
import { leaveIfSaved } from "./unsaved"

/** Views are named by the fragment, so that the app works behind any path and the server needs no route for them. */
export type Route =
  | { view: "home" }
  | { view: "session"; id: string; prompt?: string; at?: number }
  | { view: "prompt"; id: string }
  | { view: "sessions"; query: string }
  | { view: "figures"; days: number | null }
  | { view: "search"; query: string; kind: string; machine: string; project: string; days: number }
  | { view: "settings"; page: string }
  | { view: "projects"; id: string }
  | { view: "tools" | "files" | "git" | "changes"; id: string; query: string }

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?")
  const [view = "", ...rest] = path.split("/")
  const id = decode(rest.join("/"))
  if (view === "s" && id) {
    const wanted = new URLSearchParams(query)
    return { view: "session", id, prompt: wanted.get("prompt") ?? undefined, at: Number(wanted.get("at")) || undefined }
  }
  if (view === "p" && id) return { view: "prompt", id }
  if (view === "sessions") return { view: "sessions", query }
  if (view === "figures") return { view: "figures", days: Number(new URLSearchParams(query).get("days")) || null }
  if (view === "search") {
    const wanted = new URLSearchParams(query)
    const one = (name: string) => wanted.get(name) ?? ""
    return { view: "search", query: one("q"), kind: one("kind"), machine: one("machine"), project: one("project"), days: Number(one("days")) || 0 }
  }
  if (view === "tools" || ((view === "files" || view === "git" || view === "changes") && id)) return { view, id, query }
  if (view === "settings") return { view: "settings", page: id }
  if (view === "projects") return { view: "projects", id }
  return { view: "home" }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const route = new Store<Route>(parse(location.hash))

export function startRouting(): void {
  let shown = location.hash
  const follow = () => {
    const next = location.hash
    if (next === shown) return route.set(parse(next))
    leaveIfSaved(() => {
      shown = location.hash
      route.set(parse(shown))
    }, () => history.pushState(null, "", shown || "#/"))
  }
  window.addEventListener("hashchange", follow)
  // It may have changed since this file was read.
  follow()
}

export function go(hash: string): void {
  location.hash = hash
}

/** @param at the `seq` of the event to be shown */
export function sessionLink(id: string, at?: number): string {
  return "#/s/" + encodeURIComponent(id) + (at === undefined ? "" : "?at=" + at)
}
