import { groupNames, type GroupName } from "../state/groups"

/** Which sessions the list shows. */
export interface Filter {
  text: string
  machine: string
  project: string
  state: GroupName | ""
}

export const noFilter: Filter = { text: "", machine: "", project: "", state: "" }

const names: [keyof Filter, string][] = [["text", "q"], ["state", "state"], ["machine", "machine"], ["project", "project"]]

/** The filter in an address such as `#/?q=refund&state=ended`. */
export function filterOf(hash: string): Filter {
  const query = new URLSearchParams(hash.split("?")[1] ?? "")
  const [text, machine, project, state] = ["q", "machine", "project", "state"].map((name) => query.get(name) ?? "") as [string, string, string, string]
  return { text, machine, project, state: (groupNames as readonly string[]).includes(state) ? state as GroupName : "" }
}

export function hashOf(filter: Filter): string {
  const query = new URLSearchParams(names.filter(([key]) => filter[key]).map(([key, name]) => [name, filter[key]]))
  const text = query.toString()
  return text ? "#/?" + text : "#/"
}
