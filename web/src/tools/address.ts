import { search } from "../api/http"

/** What the list of servers shows, as it stands in the address. */
export interface ToolsAddress {
  /** Words that tools are looked for by; empty: the servers are listed. */
  text: string
  machine: string
  /** The id of a project; it decides on which machine. */
  project: string
}

/** @param query what follows the `?` of an address such as `#/tools?q=commit&machine=laptop` */
export function toolsAddress(query: string): ToolsAddress {
  const given = new URLSearchParams(query)
  const project = given.get("project") ?? ""
  return { text: given.get("q") ?? "", machine: project ? "" : given.get("machine") ?? "", project }
}

export function toolsHash({ text, machine, project }: ToolsAddress): string {
  return "#/tools" + search({ q: text, machine: project ? "" : machine, project })
}

/** @param tool the name of the tool that is open */
export function serverHash(server: string, tool = ""): string {
  return "#/tools/" + encodeURIComponent(server) + search({ tool })
}
