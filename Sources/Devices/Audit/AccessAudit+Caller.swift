package import API
internal import Access
package import Audit
internal import EventModel

extension AccessAudit {
    /// - Parameter actor: `nil` means the caller or, if there is none, the device concerned.
    package func record(
        _ action: AuditAction,
        by actor: String? = nil,
        on object: String? = nil,
        _ result: AuditResult,
        _ caller: Caller
    ) async {
        let entry = AuditEntry(
            at: clock(),
            actor: actor ?? caller.principal?.auditName ?? (object?.hasPrefix("device:") == true ? object : nil)
                ?? "anonymous",
            action: action.rawValue,
            object: object,
            result: result.word,
            peer: caller.peer,
            requestID: caller.requestID
        )
        await record(entry)
    }
}

extension AuditResult {
    init(_ refusal: RefreshPolicy.Refusal) { self.init(word: refusal.rawValue) }

    init(_ fault: AppleTokenError) { self.init(word: fault.rawValue) }
}
