internal import JSON

/// A file, a directory or a link of a machine, as its agent reports it.
struct MachineFile: Sendable {
    /// A name in a list, else a path.
    let name: String
    /// The bytes, as Base64, if they are not UTF-8.
    let nameBytes: String?
    let kind: String
    let size: Int64
    let modifiedAt: String?
    let json: JSONValue

    /// - Parameter name: the member with the name.
    init?(_ json: JSONValue, named member: String = "name") {
        guard let name = json[member]?.string else { return nil }
        self.name = name
        nameBytes = json[member + "_b64"]?.string
        kind = json["type"]?.string ?? "file"
        size = max(0, json["size"]?.integer ?? 0)
        modifiedAt = json["modified_at"]?.string
        self.json = json
    }

    static let kinds = JSONSchema.words("file", "directory", "link", "special")

    static let listed = ObjectShape<MachineFile>("ListedFile") { it in
        it.member("name") { $0.name }
        it.member("name_b64") { $0.nameBytes }
        it.member("type", as: kinds) { $0.kind }
        it.member("target_type", as: kinds) { $0.json["target_type"]?.string }
        it.member("size", as: JSONSchema.count) { $0.size }
        it.member("modified_at", as: JSONSchema.time) { $0.modifiedAt }
        it.member("is_secret") { $0.json["is_secret"]?.bool ?? false }
        it.member("is_ignored") { $0.json["is_ignored"]?.bool }
        it.member("is_tracked") { $0.json["is_tracked"]?.bool }
    }

    static let shape = ObjectShape<MachineFile>("MachineFile") { it in
        it.member("path") { $0.name }
        it.member("path_b64") { $0.nameBytes }
        it.member("root") { $0.json["root"]?.string ?? "" }
        it.member("type", as: kinds) { $0.kind }
        it.member("size", as: JSONSchema.count) { $0.size }
        it.member("modified_at", as: JSONSchema.time) { $0.modifiedAt }
        it.member("version") { $0.json["version"]?.string ?? "" }
        it.member("is_secret") { $0.json["is_secret"]?.bool ?? false }
        it.memberOrNull("offset", as: countOrNull) { $0.json["offset"]?.integer }
        it.memberOrNull("bytes", as: countOrNull) { $0.json["bytes"]?.integer }
        it.memberOrNull("encoding", as: JSONSchema.nullable(JSONSchema.words("utf-8", "base64"))) {
            $0.json["encoding"]?.string
        }
        it.memberOrNull("content") { $0.json["content"]?.string }
        it.memberOrNull("next_offset", as: countOrNull) { $0.json["next_offset"]?.integer }
    }

    private static let countOrNull = JSONSchema.nullable(JSONSchema.count)
}

/// A page of a directory, as a machine's agent reports it.
struct FileList: Sendable {
    let json: JSONValue
    let entries: [MachineFile]

    init(_ json: JSONValue) {
        self.json = json
        entries = (json["entries"]?.array ?? []).compactMap { MachineFile($0) }
    }

    static let shape = ObjectShape<FileList>("FileList") { it in
        it.member("path") { $0.json["path"]?.string ?? "" }
        it.member("path_b64") { $0.json["path_b64"]?.string }
        it.member("root") { $0.json["root"]?.string ?? "" }
        it.list("entries", of: MachineFile.listed) { $0.entries }
        it.member("sorted") { $0.json["sorted"]?.bool ?? false }
        it.memberOrNull("files", as: JSONSchema.nullable(JSONSchema.count)) { $0.json["files"]?.integer }
        it.memberOrNull("directories", as: JSONSchema.nullable(JSONSchema.count)) { $0.json["directories"]?.integer }
        it.memberOrNull("next_cursor") { $0.json["next_cursor"]?.string }
        it.member("has_more") { $0.json["next_cursor"]?.string != nil }
    }
}

/// The result of a search, as a machine's agent reports it.
struct FileHits: Sendable {
    let json: JSONValue
    let results: [MachineFile]

    init(_ json: JSONValue) {
        self.json = json
        results = (json["results"]?.array ?? []).compactMap { MachineFile($0, named: "path") }
    }

    static let shape = ObjectShape<FileHits>("FileHits") { it in
        it.member("path") { $0.json["path"]?.string ?? "" }
        it.list("results", of: hit) { $0.results }
        it.member("total", as: JSONSchema.count) { $0.json["total"]?.integer ?? 0 }
        it.member("files", as: JSONSchema.count) { $0.json["files"]?.integer ?? 0 }
        it.member("complete") { $0.json["complete"]?.bool ?? false }
        it.memberOrNull("reason") { $0.json["reason"]?.string }
        it.member("elapsed_ms", as: JSONSchema.count) { $0.json["elapsed_ms"]?.integer ?? 0 }
    }

    private static let hit = ObjectShape<MachineFile>("FileHit") { it in
        it.member("path") { $0.name }
        it.member("path_b64") { $0.nameBytes }
        it.member("size", as: JSONSchema.count) { $0.json["size"]?.integer }
        it.member("modified_at", as: JSONSchema.time) { $0.modifiedAt }
        it.member("score") { $0.json["score"]?.double }
        it.member("is_secret") { $0.json["is_secret"]?.bool }
        it.member("line", as: JSONSchema.count) { $0.json["line"]?.integer }
        it.member("column", as: JSONSchema.count) { $0.json["column"]?.integer }
        it.member("text") { $0.json["text"]?.string }
    }
}
