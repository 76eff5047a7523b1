import type { Message } from "../timeline/said"

/** A message of the person, by the id that Claude Code knows. */
export interface PersonsMessage {
  id: string
  at: string
  text: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Of a page of a conversation, in its order. Only transcripts have the ids that Claude Code knows. */
export function personsMessages(page: { data: Message[]; source?: string }): PersonsMessage[] {
  if (page.source !== "transcript") return []
  return page.data.flatMap((message) => {
    const text = (message.blocks ?? []).filter((block) => block.type === "text").map((block) => block.text ?? "").join(" ").trim()
    const isPersons = message.role === "user" && !message.is_meta && !message.agent_id && text !== "" && uuid.test(message.id)
    return isPersons ? [{ id: message.id, at: message.timestamp, text }] : []
  })
}
