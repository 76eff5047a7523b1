internal import API
internal import Agents
internal import CdevDialect
internal import EventModel
internal import HTTPModel
internal import JSON
internal import RPC

/// Files of workspaces for cdev's methods.
extension ServerContext {
    /// What a message has room for: content may take more bytes as JSON than in the file.
    private static let mostContentBytes = 440 << 10

    func files(_ call: RPCFileCall) async throws(RPCError) -> [UInt8] {
        let responder = Responder(call.principal)
        do throws(APIError) {
            switch call.request {
            case .list(let directory, let limit, let offset, let includesHidden):
                let listing = RepositoryListing(
                    directory: directory,
                    limit: limit,
                    offset: offset,
                    isHiddenIncluded: includesHidden
                )
                return try await agents.files(listing, ofProject: call.workspaceID, by: responder)
            case .get(let path, let limit):
                let place = try await agents.place(ofProject: call.workspaceID).appending(path)
                let file = try await agents.content(of: place, limit: limit, by: responder)
                return ServerContext.answer(file, path)
            case .search(let query, let mode, let extensions, let limit, let offset):
                let search = RepositorySearch(
                    query: query,
                    mode: mode,
                    extensions: extensions,
                    limit: limit,
                    offset: offset
                )
                return try await agents.search(search, inProject: call.workspaceID, by: responder)
            }
        } catch {
            switch error.code {
            case "project_not_found": throw .workspaceNotFound(call.workspaceID)
            case "agent_unavailable": throw .notReachable(error.message, call.method, sessionID: nil)
            default:
                throw RPCError.file(error.message, reason: error.code, call.method)
                    ?? RPCError(error, method: call.method)
            }
        }
    }

    private static func answer(_ file: JSONValue, _ path: String) -> [UInt8] {
        let isText = file["encoding"]?.string != "base64"
        let whole = file["content"]?.string ?? ""
        let content = isText ? whole.cut(toJSONBytes: mostContentBytes) : String(whole.prefix(mostContentBytes))
        let isCut = content.utf8.count < whole.utf8.count || file["next_offset"]?.integer != nil
        var writer = JSONWriter(reserving: content.utf8.count + 256)
        writer.beginObject()
        writer.field("path", path)
        writer.field("content", content)
        writer.field("encoding", isText ? "utf-8" : "base64")
        writer.field("truncated", isCut)
        let padding = content.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
        writer.field("size", isText ? content.utf8.count : content.utf8.count / 4 * 3 - padding)
        writer.field("total_size", file["size"]?.integer ?? 0)
        writer.endObject()
        return writer.bytes
    }
}

extension String {
    /// The beginning, of which JSON takes no more than `limit` bytes.
    fileprivate func cut(toJSONBytes limit: Int) -> String {
        var room = limit
        var end = unicodeScalars.startIndex
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\", "\n", "\r", "\t": room -= 2
            case _ where scalar.value < 0x20 || [0x7F, 0x85, 0x2028, 0x2029].contains(scalar.value): room -= 6
            default: room -= UTF8.width(scalar)
            }
            guard room >= 0 else { return String(unicodeScalars[..<end]) }
            end = unicodeScalars.index(after: end)
        }
        return self
    }
}
