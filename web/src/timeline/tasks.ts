import { record, string, type Item, type ToolItem } from "./model"

export interface Task {
  id: string
  text: string
  state: "pending" | "in_progress" | "completed"
}

const tools = /^(TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet)$/

export function isTaskCall(item: Item): item is ToolItem {
  return item.kind === "tool" && tools.test(item.name) && item.state !== "failed" && item.state !== "denied"
}

/** The session's list of tasks after a call about it. Where the call that made a task is not here, its number stands for it. */
export function tasksAfter(tasks: readonly Task[], item: ToolItem): readonly Task[] {
  const { input } = item
  const result = record(item.result)
  if (item.name === "TodoWrite") return all(input.todos)
  if (item.name === "TaskList") return Array.isArray(result.tasks) ? all(result.tasks) : tasks
  if (item.name === "TaskCreate") {
    const id = idOf(record(result.task).id) ?? String(1 + Math.max(0, ...tasks.map((task) => Number(task.id) || 0)))
    return [...tasks.filter((task) => task.id !== id), { id, text: string(input.subject) ?? string(input.description) ?? "", state: "pending" }]
  }
  const id = idOf(input.taskId)
  if (item.name !== "TaskUpdate" || id === undefined) return tasks
  if (input.status === "deleted") return tasks.filter((task) => task.id !== id)
  const known = tasks.find((task) => task.id === id)
  const next = { id, text: string(input.subject) ?? known?.text ?? `#${id}`, state: stateOf(input.status) ?? known?.state ?? "pending" } as const
  return known ? tasks.map((task) => task.id === id ? next : task) : [...tasks, next]
}

/** The list of tasks at the end. */
export function tasksOf(items: readonly Item[]): readonly Task[] {
  return items.reduce<readonly Task[]>((tasks, item) => isTaskCall(item) && item.agent === undefined ? tasksAfter(tasks, item) : tasks, [])
}

export function doneOf(tasks: readonly Task[]): number {
  return tasks.filter((task) => task.state === "completed").length
}

function all(list: unknown): readonly Task[] {
  if (!Array.isArray(list)) return []
  return list.map(record).map((one, index) => ({
    id: idOf(one.id) ?? String(index + 1),
    text: string(one.content) ?? string(one.subject) ?? "",
    state: stateOf(one.status) ?? "pending",
  }))
}

function idOf(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : string(value)
}

function stateOf(value: unknown): Task["state"] | undefined {
  return value === "pending" || value === "in_progress" || value === "completed" ? value : undefined
}
