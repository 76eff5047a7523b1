package import API
package import HTTPModel
internal import JSON

/// A search for files of a project by name, in cdev's form.
package struct RepositorySearch: Sendable {
    package let query: String
    package let mode: String
    package let extensions: [String]
    package let limit: Int64
    package let offset: Int64

    package init(query: String, mode: String, extensions: [String], limit: Int64, offset: Int64) {
        (self.query, self.mode, self.extensions) = (query, mode, extensions)
        (self.limit, self.offset) = (limit, offset)
    }

    struct Answer: Sendable {
        let request: RepositorySearch
        let hits: FileHits

        var total: Int64 { hits.json["total"]?.integer ?? 0 }
    }

    static let shape = ObjectShape<Answer>("RepositorySearch") { it in
        it.member("query") { $0.request.query }
        it.member("mode") { $0.request.mode }
        it.list("results", of: hit) { $0.hits.results }
        it.member("total", as: JSONSchema.count) { $0.total }
        it.member("elapsed_ms", as: JSONSchema.count) { $0.hits.json["elapsed_ms"]?.integer ?? 0 }
        it.member("has_more") { $0.request.offset + Int64($0.hits.results.count) < $0.total }
    }

    private static let hit = ObjectShape<MachineFile>("RepositoryHit") { it in
        it.member("path") { $0.name }
        it.member("name") { RepositoryPath($0.name).name }
        it.member("directory") { RepositoryPath($0.name).directory }
        it.member("extension") { RepositoryPath($0.name).extension }
        it.member("size_bytes", as: JSONSchema.count) { $0.size }
        it.member("modified_at", as: JSONSchema.time) { $0.modifiedAt }
        it.member("match_score") { $0.json["score"]?.double ?? 0 }
        it.member("is_sensitive") { $0.json["is_secret"]?.bool ?? false }
    }
}

/// The parts of a path below a project's directory.
struct RepositoryPath: Sendable {
    let directory: String
    let name: String

    init(_ path: String) {
        let slash = path.lastIndex(of: "/")
        directory = slash.map { String(path[..<$0]) } ?? ""
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// In lower case and without its dot; empty if there is none.
    var `extension`: String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}

extension AgentService {
    /// A JSON object.
    package func search(
        _ request: RepositorySearch,
        inProject id: String,
        by responder: Responder
    ) async throws(APIError) -> [UInt8] {
        let place = try await place(ofProject: id)
        let json = try await search(
            place,
            [
                ("query", .string(request.query)), ("mode", .string(request.mode)),
                ("extensions", .array(request.extensions.map { .string($0) })), ("limit", .integer(request.limit)),
                ("offset", .integer(request.offset)),
            ],
            by: responder
        )
        let answer = RepositorySearch.Answer(request: request, hits: FileHits(json))
        return RepositorySearch.shape.json(answer, reserving: 4096)
    }
}
