import type { Agent } from "./agents"
import type { Entry } from "./fold"
import type { Item, ToolItem } from "./model"
import type { Task } from "./tasks"

/** One row of the timeline. */
export type Line = {
  key: string
  /** The item that it begins with. */
  first: Item
  /** How many agents it stands inside. */
  depth: number
  isOpen: boolean
} & Shown

type Shown =
  | { kind: "item" }
  | { kind: "calls"; calls: ToolItem[] }
  | { kind: "agent"; agent: Agent }
  | { kind: "tasks"; tasks: readonly Task[] }

interface Home {
  /** The row that shows the item. */
  line: string
  /** What has to be open for that. */
  inside: readonly string[]
}

export interface Laid {
  lines: Line[]
  homes: ReadonlyMap<string, Home>
}

/** What a person has opened and closed, by key. */
export type Choices = ReadonlyMap<string, boolean>

/** Each item in a row of its own. */
export function logLines(items: readonly Item[], choices: Choices): Laid {
  return {
    lines: items.map((item) => ({ kind: "item", key: item.key, first: item, depth: item.agent ? 1 : 0, isOpen: choices.get(item.key) ?? false })),
    homes: new Map(items.map((item) => [item.key, { line: item.key, inside: [] }])),
  }
}

/** The rows of a conversation: of what is folded, only the head. */
export function foldedLines(entries: readonly Entry[], choices: Choices): Laid {
  const layout = new Layout(choices)
  for (const entry of entries) layout.add(entry, [], 0, true)
  return { lines: layout.lines, homes: layout.homes }
}

class Layout {
  readonly lines: Line[] = []
  readonly homes = new Map<string, Home>()

  constructor(private readonly choices: Choices) {}

  add(entry: Entry, inside: readonly string[], depth: number, isShown: boolean): void {
    if (entry.kind === "item") {
      const { key } = entry.item
      this.homes.set(key, { line: key, inside })
      // A call of an open group, or the last one, shows what came of it.
      const isOpen = this.choices.get(key) ?? false
      if (isShown) this.lines.push({ kind: "item", key, first: entry.item, depth, isOpen })
      return
    }
    const isOpen = this.choices.get(entry.key) ?? (entry.kind !== "agent" && entry.isLast)
    const first = firstOf(entry)
    if (isShown && first) this.lines.push({ ...shownOf(entry), key: entry.key, first, depth, isOpen })
    for (const item of ownItems(entry)) this.homes.set(item.key, { line: entry.key, inside })
    if (entry.kind === "tasks") return
    const within = [...inside, entry.key]
    for (const child of entry.entries) {
      // The cards of agents are seen although the calls around them are folded.
      const isApart = entry.kind === "calls" && !isOpen && child.kind === "agent"
      this.add(child, isApart ? inside : within, entry.kind === "agent" ? depth + 1 : depth, isShown && (isOpen || isApart))
    }
  }
}

function firstOf(entry: Entry): Item | undefined {
  switch (entry.kind) {
    case "item": return entry.item
    case "calls": return entry.calls[0]
    case "agent": return entry.agent.call ?? entry.agent.items[0]
    case "tasks": return entry.calls[entry.calls.length - 1]
  }
}

/** The items that an entry itself tells of. */
function ownItems(entry: Entry): readonly Item[] {
  if (entry.kind === "tasks") return entry.calls
  return entry.kind === "agent" ? [...(entry.agent.call ? [entry.agent.call] : []), ...entry.agent.items] : []
}

function shownOf(entry: Exclude<Entry, { kind: "item" }>): Shown {
  if (entry.kind === "calls") return { kind: "calls", calls: entry.calls }
  return entry.kind === "agent" ? { kind: "agent", agent: entry.agent } : { kind: "tasks", tasks: entry.tasks }
}
