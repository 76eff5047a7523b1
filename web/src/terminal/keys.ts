/** A key that a phone's keyboard lacks, with what a terminal sends for it. */
export interface Key {
  name: string
  sends: string
}

export const keys: readonly Key[] = [
  { name: "Esc", sends: "\x1b" },
  { name: "Tab", sends: "\t" },
  { name: "⇧Tab", sends: "\x1b[Z" },
  { name: "^C", sends: "\x03" },
  { name: "←", sends: "\x1b[D" },
  { name: "↑", sends: "\x1b[A" },
  { name: "↓", sends: "\x1b[B" },
  { name: "→", sends: "\x1b[C" },
  { name: "⏎", sends: "\r" },
]
