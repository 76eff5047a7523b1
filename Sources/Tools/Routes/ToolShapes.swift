internal import EventModel
internal import JSON

extension MachineID {
    /// What clients are told of the machine: nothing of the monitor itself.
    func shown(_ name: String) -> String? { self == .monitor ? nil : name }
}

extension StoredServer {
    static let shape = ObjectShape<StoredServer>("MCPServer") { it in
        it.member("id") { $0.id }
        it.member("name") { $0.name }
        it.member("scope") { $0.scope }
        it.memberOrNull("machine_id") { $0.machine.shown($0.machineName) }
        it.memberOrNull("project_path") { $0.path }
        it.member("transport") { $0.transport }
        it.member("state", as: JSONSchema.choice(ServerReport.states)) { $0.state }
        it.member("reason") { $0.reason }
        it.member("tool_count") { $0.toolCount }
        it.member("changed_count") { $0.changedCount }
        it.member("is_complete") { $0.isComplete }
        it.member("created_at") { $0.createdAt }
        it.member("refreshed_at") { $0.refreshedAt }
        it.member("url") { $0.url }
        it.member("header_names", as: JSONSchema.texts) { $0.headerNames.map(JSONText.init) }
        it.member("trust_hints") { $0.trustsHints }
        it.member("listed_at") { $0.listedAt }
        it.member("next_listing_at") { $0.nextListingAt }
    }
}

extension ToolDefinition {
    fileprivate static let definition = ObjectShape<ToolDefinition>("ToolDefinition") { it in
        it.member("title") { $0.title }
        it.member("description") { $0.description }
        it.member("parameters") { $0.parameters }
        it.member("output_schema") { $0.result }
        it.member("annotations") { $0.annotations }
        it.member("digest") { $0.digest }
    }
}

extension StoredTool {
    static let shape = ObjectShape<StoredTool>("Tool") { it in
        it.member("name") { "\($0.server).\($0.name)" }
        it.member("tool") { $0.name }
        it.member("server") { $0.server }
        it.member("server_id") { $0.serverID }
        it.member("server_state", as: JSONSchema.choice(ServerReport.states)) { $0.serverState }
        it.memberOrNull("machine_id") { $0.machine.shown($0.machineName) }
        it.member("scope") { $0.scope }
        it.memberOrNull("project_path") { $0.path }
        it.member("claude_name") { ToolName.claude($0.server, $0.name) }
        it.word("state") { $0.state }
        it.member("title") { $0.pinned.title }
        it.member("description") { $0.pinned.description }
        it.member("parameters") { $0.pinned.parameters }
        it.member("output_schema") { $0.pinned.result }
        it.member("annotations") { $0.pinned.annotations }
        it.member("digest") { $0.pinned.digest }
        it.object("offered", ToolDefinition.definition) { $0.offered }
        it.member("created_at") { $0.createdAt }
        it.member("changed_at") { $0.changedAt }
        it.member("accepted_by") { $0.acceptedBy }
        it.member("accepted_at") { $0.acceptedAt }
    }
}
