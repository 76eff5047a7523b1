import { LastingSocket } from "./lasting"
import type { FileChange } from "./socket"

const types = ["file_changed", "git_status_changed"]

export interface WorkspaceListener {
  /** Files or the repository may have changed in any way. */
  reload: () => void
  file: (change: FileChange) => void
  /** The state of the repository has changed. */
  git: () => void
}

interface Stream {
  socket: LastingSocket
  listeners: Set<WorkspaceListener>
}

const streams = new Map<string, Stream>()

/**
 * Follows the files and the repository of a workspace. Its machine watches them only while somebody follows, so the
 * listeners are told to reload whenever the following begins.
 * @returns ends the following
 */
export function followWorkspace(id: string, listener: WorkspaceListener): () => void {
  const stream = streams.get(id) ?? opened(id)
  stream.listeners.add(listener)
  return () => {
    stream.listeners.delete(listener)
    if (stream.listeners.size > 0) return
    streams.delete(id)
    stream.socket.close()
  }
}

function opened(id: string): Stream {
  const listeners = new Set<WorkspaceListener>()
  const all = (tell: (listener: WorkspaceListener) => void) => [...listeners].forEach(tell)
  const socket = new LastingSocket(() => ({ workspace_id: id, types }), {
    opened: () => all((listener) => listener.reload()),
    event: () => undefined,
    file: (change) => all((listener) => change.is_cut ? listener.reload() : listener.file(change)),
    git: () => all((listener) => listener.git()),
  })
  const stream = { socket, listeners }
  streams.set(id, stream)
  return stream
}
