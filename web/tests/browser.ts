// What modules of the page read of a browser when they are loaded.
// It would keep Node from ending.
Reflect.deleteProperty(globalThis, "BroadcastChannel")

const kept = new Map<string, string>()

/** A database of one store, which answers at once. */
const records = new Map<string, string>()
const database = {
  close: () => undefined,
  transaction: () => {
    const transaction = { objectStore: () => store, oncomplete: () => undefined }
    queueMicrotask(() => queueMicrotask(() => transaction.oncomplete()))
    return transaction
  },
}
const store = {
  get: (key: string) => ({ result: records.get(key) }),
  put: (value: string, key: string) => ({ result: records.set(key, value) }),
  delete: (key: string) => ({ result: records.delete(key) }),
}
const indexedDB = {
  open: () => {
    const opening = { result: database, onsuccess: () => undefined }
    queueMicrotask(() => opening.onsuccess())
    return opening
  },
}
const place = { hash: "", href: "http://localhost/", origin: "http://localhost", pathname: "/" }

Object.assign(globalThis, {
  indexedDB,
  localStorage: {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  },
  location: place,
  self: globalThis,
  window: globalThis,
  matchMedia: () => ({ matches: true }),
})
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"], userAgent: "" }, configurable: true })
