/** What the table of all sessions shows. */
export interface Query {
  text: string
  machine: string
  project: string
  state: string
  archived: string
  sort: string
  order: string
  page: number
}

export const noQuery: Query = { text: "", machine: "", project: "", state: "", archived: "", sort: "activity", order: "desc", page: 1 }

export const sorts = ["activity", "started", "cost", "duration"] as const
export const states = ["running", "waiting", "error", "quiet", "ended"] as const
export const archives = ["true", "all"] as const

const names: [keyof Query, string][] = [["text", "q"], ["machine", "machine"], ["project", "project"], ["state", "state"],
  ["archived", "archived"], ["sort", "sort"], ["order", "order"], ["page", "page"]]

/** @param text what follows the `?` of an address such as `#/sessions?q=refund&sort=cost` */
export function queryOf(text: string): Query {
  const given = new URLSearchParams(text)
  const one = (name: string, allowed: readonly string[], other = "") => {
    const value = given.get(name) ?? other
    return allowed.includes(value) ? value : other
  }
  return {
    text: given.get("q") ?? "", machine: given.get("machine") ?? "", project: given.get("project") ?? "",
    state: one("state", states), archived: one("archived", archives), sort: one("sort", sorts, noQuery.sort),
    order: one("order", ["asc", "desc"], noQuery.order), page: Math.max(1, Math.floor(Number(given.get("page")) || 1)),
  }
}

export function tableHash(query: Query): string {
  const used = names.filter(([key]) => query[key] !== noQuery[key]).map(([key, name]) => [name, String(query[key])])
  const text = new URLSearchParams(used).toString()
  return text ? "#/sessions?" + text : "#/sessions"
}

export const perPage = 50

/** The same for the server. */
export function requestOf(query: Query): Record<string, string | number> {
  const state: Record<string, string> = query.state === "ended" ? { status: "ended" } : query.state === "quiet" ? { state: "idle" } : query.state ? { state: query.state } : {}
  return {
    q: query.text.trim(), machine: query.machine, project_id: query.project, ...state, archived: query.archived,
    sort: query.sort, order: query.order, page: query.page, per_page: perPage,
  }
}
