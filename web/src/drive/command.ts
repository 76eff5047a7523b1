/** A slash command that a session takes. */
export interface Command {
  name: string
  description?: string
  argument_hint?: string
}

const most = 8

/** The name that is being typed; `null` once it is whole and something follows. */
function typed(text: string): string | null {
  const found = /^\/(\S*)$/.exec(text)
  return found ? found[1] ?? "" : null
}

/** The commands that begin with what is typed, as long as the name is not whole. */
export function matching(known: readonly Command[], text: string): Command[] {
  const name = typed(text)
  if (name === null) return []
  return known.filter((one) => one.name.startsWith(name) && one.name !== name).slice(0, most)
}

/** Whether the text is one of these commands, with or without arguments. */
export function isCommand(known: readonly Command[], text: string): boolean {
  const name = text.trim().split(/\s/, 1)[0] ?? ""
  return known.some((one) => "/" + one.name === name)
}
