import { useSyncExternalStore } from "react"

/** A value that components watch. Setting an identical value notifies nobody. */
export class Store<T> {
  private readonly watchers = new Set<() => void>()

  constructor(private value: T) {}

  readonly get = (): T => this.value

  readonly watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed)
    return () => this.watchers.delete(changed)
  }

  set(value: T): void {
    if (Object.is(this.value, value)) return
    this.value = value
    for (const changed of [...this.watchers]) changed()
  }

  update(change: (value: T) => T): void {
    this.set(change(this.value))
  }
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get)
}

/** A part of the value. The component is drawn again only when that part is another one. */
export function useSelected<T, P>(store: Store<T>, select: (value: T) => P): P {
  return useSyncExternalStore(store.watch, () => select(store.get()))
}
