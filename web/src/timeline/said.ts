import type { NoteItem, TextItem } from "./model"

export interface Block {
  type: string
  text?: string
  media_type?: string
  description?: string
}

export type Said = TextItem | NoteItem

export interface Message {
  id: string
  role: string
  timestamp: string
  blocks?: Block[]
  agent_id?: string
  is_meta?: boolean
}

/** What is shown of a message. Calls and their results come from hooks. */
export function itemsOf(message: Message): Said[] {
  return message.is_meta ? [] : (message.blocks ?? []).flatMap((block, index) => item(message, block, index))
}

function item(message: Message, block: Block, index: number): Said[] {
  const base = {
    key: `${message.id} ${index}`, seq: 0, at: message.timestamp, ...(message.agent_id ? { agent: message.agent_id } : {}),
  }
  if (block.type === "image") {
    return [{ ...base, kind: "note", word: "image", text: [block.media_type, block.description].filter(Boolean).join(", ") }]
  }
  if (message.role !== "assistant" || (block.type !== "text" && block.type !== "thinking") || !block.text?.trim()) return []
  return [{ ...base, kind: block.type, text: block.text }]
}
