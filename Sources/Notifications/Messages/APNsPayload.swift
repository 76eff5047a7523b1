internal import EventModel
internal import JSON
internal import PushGateway

/// Encodes notices as Apple alerts, within Apple's size limit.
enum APNsPayload {
    /// Apple's limit in bytes.
    static let limit = APNsPushType.alert.payloadLimit

    /// - Parameters:
    ///   - sealing: required for the sealed privacy mode. Without it, or if it fails, no content is sent.
    ///   - isSmaller: Apple rejected the payload as too large. It then gets at most half its size, or no content.
    static func bytes(
        for notice: Notification,
        delivery: Delivery,
        sealing: Sealing? = nil,
        isSmaller: Bool = false
    ) -> [UInt8] {
        let whole = payload(notice, delivery, sealing, limit: limit)
        return isSmaller ? payload(notice, delivery, sealing, limit: whole.count / 2) : whole
    }

    private static func payload(
        _ notice: Notification,
        _ delivery: Delivery,
        _ sealing: Sealing?,
        limit: Int
    ) -> [UInt8] {
        let text = NotificationText(notice)
        var content: [UInt8] = []
        for textLimit in NotificationContent.textLimits {
            content =
                switch delivery.privacy {
                case .contentless: contentless(notice, text, delivery)
                case .plain: plain(notice, text, delivery, textLimit: textLimit)
                case .sealed: sealed(notice, text, delivery, sealing, textLimit: textLimit)
                }
            if content.count <= limit { return content }
        }
        let bare = contentless(notice, text, delivery)
        return bare.count < content.count ? bare : content
    }

    private static func contentless(_ notice: Notification, _ text: NotificationText, _ delivery: Delivery) -> [UInt8] {
        object(notice, delivery, isMutable: true) {
            $0.writeKeys(text)
        } monitor: { writer in
            writer.field("ref", notice.key)
        }
    }

    private static func plain(
        _ notice: Notification,
        _ text: NotificationText,
        _ delivery: Delivery,
        textLimit: Int
    ) -> [UInt8] {
        object(notice, delivery, isMutable: false) { writer in
            writer.field("title", text.title.cut(to: textLimit))
            writer.field("subtitle", text.subtitle.map { $0.cut(to: textLimit) })
            writer.field("body", text.body.cut(to: textLimit))
        } monitor: { writer in
            writer.field("ref", notice.key)
            writer.field("session_id", notice.place.sessionID)
            writer.field("workspace_id", notice.place.workspaceID)
            writer.field("tool_use_id", notice.details.toolUseID)
        }
    }

    private static func sealed(
        _ notice: Notification,
        _ text: NotificationText,
        _ delivery: Delivery,
        _ sealing: Sealing?,
        textLimit: Int
    ) -> [UInt8] {
        var plaintext = JSONWriter(reserving: 1024)
        NotificationContent.write(notice, text: text, textLimit: textLimit, to: &plaintext)
        guard let box = sealing?.seal(plaintext.bytes) else { return contentless(notice, text, delivery) }
        return object(notice, delivery, isMutable: true) {
            $0.writeKeys(text)
        } monitor: { writer in
            writer.field("ref", notice.key)
            writer.field("sealed", box)
        }
    }

    /// - Parameter isMutable: whether the app's notification service extension adds the content.
    private static func object(
        _ notice: Notification,
        _ delivery: Delivery,
        isMutable: Bool,
        alert: (inout JSONWriter) -> Void,
        monitor: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.beginObject("aps")
        writer.beginObject("alert")
        alert(&writer)
        writer.endObject()
        if delivery.hasSound { writer.field("sound", "default") }
        writer.field("category", category(notice.kind))
        writer.field("thread-id", delivery.threadID)
        writer.field("interruption-level", delivery.level.rawValue)
        writer.field("relevance-score", delivery.relevance)
        writer.field("target-content-id", notice.place.sessionID.map { "s:" + NotificationNames.hash($0) })
        writer.field("filter-criteria", notice.place.workspaceID.map { "w:" + NotificationNames.hash($0) })
        if isMutable { writer.field("mutable-content", 1) }
        writer.endObject()
        writer.beginObject("monitor")
        writer.field("v", 1)
        writer.field("kind", notice.kind.rawValue)
        monitor(&writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// The category determines which actions the app offers.
    static func category(_ kind: NotificationKind) -> String { kind.rawValue.uppercased() }
}

extension JSONWriter {
    fileprivate mutating func writeKeys(_ text: NotificationText) {
        field("title-loc-key", text.titleKey)
        field("loc-key", text.bodyKey)
        guard !text.bodyArguments.isEmpty else { return }
        beginArray("loc-args")
        for argument in text.bodyArguments { string(argument) }
        endArray()
    }
}
