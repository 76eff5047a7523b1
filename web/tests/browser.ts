// What modules of the page read of a browser when they are loaded.
// It would keep Node from ending.
Reflect.deleteProperty(globalThis, "BroadcastChannel")

const kept = new Map<string, string>()
const place = { hash: "", href: "http://localhost/", origin: "http://localhost", pathname: "/" }

Object.assign(globalThis, {
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
