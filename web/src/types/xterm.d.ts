// The part of xterm.js that this app uses.

declare module "xterm/lib/public/Terminal" {
  interface Options {
    cols?: number
    rows?: number
    cursorBlink?: boolean
    fontFamily?: string
    fontSize?: number
    screenReaderMode?: boolean
    scrollback?: number
    theme?: Record<string, string>
  }
  export class Terminal {
    constructor(options?: Options)
    readonly cols: number
    readonly rows: number
    open(parent: HTMLElement): void
    write(data: string): void
    reset(): void
    resize(columns: number, rows: number): void
    on(event: "data", listener: (data: string) => void): void
    focus(): void
    destroy(): void
  }
}

declare module "xterm/lib/addons/fit/fit" {
  import type { Terminal } from "xterm/lib/public/Terminal"
  export function proposeGeometry(terminal: Terminal): { cols: number; rows: number } | null
}
