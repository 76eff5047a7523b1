internal import ClaudeRunner
internal import JSON
internal import RPC

/// What a chat's commands say of the caller's functions.
extension ChatFunction {
    static let most = 128

    static func list(_ value: JSONValue?) throws(RPCError) -> [ChatFunction] {
        guard let value else { return [] }
        guard let list = value.array, list.count <= most else {
            throw .invalidParameter("functions", "is not a list of at most \(most)")
        }
        var functions: [ChatFunction] = []
        for item in list {
            guard let name = item["name"]?.string, isName(name), let parameters = item["parameters"],
                parameters["type"]?.string == "object", !functions.contains(where: { $0.name == name })
            else { throw .invalidParameter("functions", "has one without a name of its own or without parameters") }
            functions.append(
                ChatFunction(name: name, description: item["description"]?.string, parameters: parameters)
            )
        }
        return functions
    }
}

extension AgentCommand {
    /// The results of all calls that a chat waits for.
    struct Results: Sendable {
        /// Lists of content blocks by the ids of the calls.
        var contents: [String: JSONValue] = [:]
        var parkSeconds: Int64

        init(_ params: RPCParams) throws(RPCError) {
            for item in params.value("results")?.array ?? [] {
                guard let id = item["id"]?.string, let content = item["content"], content.array != nil,
                    contents.updateValue(content, forKey: id) == nil
                else { throw .invalidParameter("results", "has one without an id of its own or without a content") }
            }
            parkSeconds = try Results.parkSeconds(params)
        }

        static func parkSeconds(_ params: RPCParams) throws(RPCError) -> Int64 {
            try params.integer("park_seconds", in: 1...ParkedChats.mostSeconds) ?? ParkedChats.mostSeconds
        }
    }
}
