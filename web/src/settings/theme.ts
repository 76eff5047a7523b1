import { Store } from "../lib/store"

const key = "monitor.theme"

export const themes = ["system", "light", "dark"]
export const theme = new Store(localStorage.getItem(key) ?? "system")

export function chooseTheme(name: string): void {
  localStorage.setItem(key, name)
  theme.set(name)
  applyTheme()
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get()
}
