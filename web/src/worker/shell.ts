import { base } from "../lib/base"

const name = "monitor-shell-" + SHELL.version

/** Keeps the app itself, so that it opens without a network. What the server knows is never kept here. */
export async function fillCache(): Promise<void> {
  const cache = await caches.open(name)
  const page = new Request(base.href, { headers: { accept: "text/html" }, cache: "no-cache" })
  await cache.put(base.href, await fetch(page))
  await cache.addAll(SHELL.files.map((file) => new URL(file, base).href))
}

export async function dropOldCaches(): Promise<void> {
  const names = (await caches.keys()).filter((one) => one.startsWith("monitor-shell-") && one !== name)
  await Promise.all(names.map((one) => caches.delete(one)))
}

/** The page and its files; everything else goes to the server as if there were no worker. */
export function isShell(request: Request): boolean {
  const url = new URL(request.url)
  if (request.method !== "GET" || url.origin !== base.origin) return false
  if (request.mode === "navigate") return url.pathname === base.pathname
  return url.pathname.startsWith(base.pathname + "assets/")
}

const patienceMilliseconds = 3_000

/** The page comes from the server where that answers in time; files whose names hold their hashes do not change. */
export async function cachedShell(request: Request): Promise<Response> {
  const cache = await caches.open(name)
  if (request.mode !== "navigate") return (await cache.match(request, { ignoreVary: true })) ?? fetch(request)
  const kept = cache.match(base.href, { ignoreVary: true })
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), patienceMilliseconds)
  try {
    const fresh = await fetch(request, { signal: stop.signal })
    return fresh.ok ? fresh : ((await kept) ?? fresh)
  } catch (fault) {
    const page = await kept
    if (!page) throw fault
    return page
  } finally {
    clearTimeout(timer)
  }
}
