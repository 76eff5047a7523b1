internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// A person's changes of a project. Ignores unknown members.
struct ProjectBody {
    private static let maximumName = 200
    private static let maximumText = 4000
    private static let maximumSettings = 16 << 10

    private let json: JSONValue

    init(_ body: [UInt8]) throws(APIError) {
        json = try JSONValue(object: body, maxDepth: 64)
    }

    func newProject() throws(APIError) -> NewProject {
        guard let name = try name() else {
            throw .invalid("missing_parameter", "'name' is missing.", param: "name")
        }
        var project = NewProject(spareID: ProjectBody.randomID(), name: name)
        project.description = try text("description", atMost: ProjectBody.maximumText)
        project.path = try text("path", atMost: ProjectBody.maximumText)
        project.machine = try text("machine_id", atMost: ProjectBody.maximumName)
        project.settings = try settings()
        return project
    }

    func change() throws(APIError) -> ProjectChange {
        guard json["path"] == nil, json["machine_id"] == nil else {
            throw .invalid(
                "invalid_parameter",
                "A project's directory makes its id and cannot be changed.",
                param: json["path"] == nil ? "machine_id" : "path"
            )
        }
        var change = ProjectChange()
        change.name = try name()
        if json["description"] != nil {
            change.description = .set(try text("description", atMost: ProjectBody.maximumText))
        }
        if json["settings"] != nil { change.settings = .set(try settings()) }
        return change
    }

    private func name() throws(APIError) -> String? {
        guard json["name"] != nil else { return nil }
        guard let name = try text("name", atMost: ProjectBody.maximumName),
            !name.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        else {
            throw .invalid("invalid_parameter", "'name' must not be empty.", param: "name")
        }
        return name
    }

    /// Returns `nil` if the member is absent, null or empty.
    private func text(_ name: String, atMost length: Int) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.string, text.unicodeScalars.count <= length else {
            throw .invalid(
                "invalid_parameter",
                "'\(name)' must be a text of at most \(length) characters.",
                param: name
            )
        }
        return text.isEmpty ? nil : text
    }

    private func settings() throws(APIError) -> [UInt8]? {
        guard let value = json["settings"], value != .null else { return nil }
        var writer = JSONWriter()
        writer.value(value)
        guard value.isObject, writer.bytes.count <= ProjectBody.maximumSettings else {
            throw .invalid(
                "invalid_parameter",
                "'settings' must be an object of at most \(ProjectBody.maximumSettings) bytes.",
                param: "settings"
            )
        }
        return writer.bytes
    }

    private static func randomID() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return "ws-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
