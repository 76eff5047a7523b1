/** Whether the address of a session asks for its log in place of the conversation. */
export function isLogAsked(): boolean {
  return new URLSearchParams(location.hash.split("?")[1] ?? "").get("view") === "log"
}

/** Shows the log or the conversation, in the same place of the history. */
export function showView(isLog: boolean): void {
  const [path = "", query = ""] = location.hash.split("?")
  const wanted = new URLSearchParams(query)
  if (isLog) wanted.set("view", "log")
  else wanted.delete("view")
  const next = wanted.toString()
  location.replace(path + (next && "?" + next))
}
