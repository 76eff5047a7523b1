/**
 * Small texts that the pages and the worker of this origin keep. Cookies go to the programs on all ports of a host; this
 * stays with the one.
 */
const storeName = "kept"

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("monitor", 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error ?? new Error("no database"))
  })
}

async function run<Result>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
  const opened = await database()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = opened.transaction(storeName, mode)
      const request = work(transaction.objectStore(storeName))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error ?? new Error("not kept"))
    })
  } finally {
    opened.close()
  }
}

export async function kept(name: string): Promise<string | undefined> {
  return run<string | undefined>("readonly", (store) => store.get(name) as IDBRequest<string | undefined>)
}

export async function keep(name: string, text: string): Promise<void> {
  await run("readwrite", (store) => store.put(text, name))
}

export async function forget(name: string): Promise<void> {
  await run("readwrite", (store) => store.delete(name))
}
