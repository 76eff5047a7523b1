internal import CdevDialect
internal import Devices
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Prompts
internal import Sessions

/// `permission/request`: the question becomes an event and waits for its answer, both in the same way as a hook's.
extension ServerContext {
    /// - Parameter session: the question is asked for its machine; if it is nil, for the operator's own machine.
    func ask(_ request: RPCPermissionRequest, session: Session?) async throws(APIError) -> RPCPermissionDecision {
        guard let own = keys.operatorGrant else { throw database.unavailable }
        let machine = session?.machine ?? own.machine
        guard prompts.holds.isAnyoneAllowed(on: machine) else { return RPCPermissionDecision(.noClients) }
        var held = try IngestDecoder(configuration: ingest).decodeHeld(
            body: request.hook,
            isEnvelope: false,
            contentType: nil,
            contentEncoding: nil,
            machine: machine,
            machineName: session?.machineName ?? own.machineName,
            now: clock()
        )
        held.event.id = EventID(
            name: "permission/request:\(request.sessionID):\(request.toolUseID)",
            machine: machine
        )
        switch await pipeline.submit([held.event]).first {
        case .rejected(let error)?, .unavailable(let error)?: throw error
        case nil: throw .databaseUnavailable(retryAfter: 2)
        case .accepted?, .duplicate?, .spooled?: break
        }
        let outcome = await prompts.holds.ask(
            HoldPoll(
                request: HoldRequest(
                    id: held.event.id.description,
                    seconds: request.seconds,
                    policy: HoldPolicy("after=deny")
                ),
                eventID: held.event.id,
                machine: machine,
                content: HeldContent(sent: held.sent, shown: held.shown),
                isCommitted: true
            )
        )
        return RPCPermissionDecision(outcome)
    }
}

extension RPCPermissionRequest {
    fileprivate var hook: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("hook_event_name", "PermissionRequest")
        writer.field("session_id", sessionID)
        writer.field("cwd", directory)
        writer.field("tool_name", toolName)
        writer.field("tool_use_id", toolUseID)
        writer.key("tool_input")
        writer.value(toolInput)
        writer.endObject()
        return writer.bytes
    }
}

extension RPCPermissionDecision {
    fileprivate init(_ outcome: AskingOutcome) {
        switch outcome {
        case .timedOut: self.init(Absence.timeout)
        case .cancelled: self.init(Absence.cancelled)
        case .output(let bytes):
            let output = try? JSONValue.parse(bytes, maxDepth: 200)
            self.init(hook: output?["hookSpecificOutput"]?["decision"] ?? .null)
        }
    }

    /// - Parameter decision: in the form that the hook would print.
    private init(hook decision: JSONValue) {
        let rule = decision["updatedPermissions"]?.array?.first { $0["type"]?.string == "addRules" }
        let granted = rule?["rules"]?.array?.first
        self.init(
            isAllowed: decision["behavior"]?.string == "allow",
            scope: rule.map { $0["destination"]?.string == "session" ? .session : .path } ?? .once,
            pattern: granted.flatMap { granted in
                granted["toolName"]?.string.map { tool in
                    granted["ruleContent"]?.string.map { "\(tool)(\($0))" } ?? tool
                }
            },
            updatedInput: decision["updatedInput"],
            message: decision["message"]?.string,
            isInterrupt: decision["interrupt"]?.bool ?? false
        )
    }
}
