internal import EventModel
internal import JSON
internal import PushGateway

/// A notice for a browser. The whole message is encrypted for the browser (RFC 8291), so `sealed` and `plain` are the
/// same.
struct WebPushMessage: Sendable, Equatable {
    /// JSON for the service worker, to be encrypted.
    var plaintext: [UInt8]
    /// RFC 8030, section 5.4: replaces an undelivered message at the push service. At most 32 characters of
    /// base64url.
    var topic: String
    var urgency: WebPushUrgency
    /// Seconds.
    var ttl: Int

    /// - Parameter isSmaller: the push service rejected the message as too large. It then gets at most half its size,
    ///   or no content.
    init(for notice: Notification, delivery: Delivery, isSmaller: Bool = false, now: Timestamp) {
        topic = WebPushMessage.topic(delivery.collapseID)
        urgency =
            switch delivery.level {
            case .passive: .low
            case .active: .normal
            case .timeSensitive: .high
            }
        ttl = Int(min(max(delivery.expiresAt.seconds(since: now), 0), 2_419_200))
        plaintext = WebPushMessage.plaintext(notice, delivery, limit: WebPushRequest.payloadLimit)
        if isSmaller { plaintext = WebPushMessage.plaintext(notice, delivery, limit: plaintext.count / 2) }
    }

    private static func plaintext(_ notice: Notification, _ delivery: Delivery, limit: Int) -> [UInt8] {
        for textLimit in NotificationContent.textLimits {
            let text = plaintext(notice, delivery, textLimit: textLimit)
            if text.count <= limit { return text }
        }
        var contentless = delivery
        contentless.privacy = .contentless
        return plaintext(notice, contentless, textLimit: NotificationContent.textLimits.last ?? 0)
    }

    /// A service worker must display something for each message, so there is always a title. `silent` and `tag` are
    /// those of the Notifications API.
    private static func plaintext(_ notice: Notification, _ delivery: Delivery, textLimit: Int) -> [UInt8] {
        let text = NotificationText(notice)
        let isContentless = delivery.privacy == .contentless
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("v", 1)
        writer.field("kind", notice.kind.rawValue)
        writer.field("ref", notice.key)
        writer.field("tag", delivery.collapseID)
        writer.field("silent", !delivery.hasSound)
        writer.field("renotify", delivery.hasSound)
        writer.field("require_interaction", (notice.kind.isPrompt && delivery.level > .passive))
        writer.field("timestamp", notice.raisedAt.microseconds / 1000)
        writer.field("title_key", text.titleKey)
        writer.field("body_key", text.bodyKey)
        writer.beginArray("body_args")
        for argument in text.bodyArguments { writer.string(argument) }
        writer.endArray()
        if isContentless {
            writer.field("title", "Claude Code")
        } else {
            writer.key("content")
            NotificationContent.write(notice, text: text, textLimit: textLimit, to: &writer)
            writer.field("title", text.title.cut(to: textLimit))
            writer.field("body", text.body.cut(to: textLimit))
            if let actions = notice.actions(shownWith: text, within: textLimit) {
                writer.key("prompt")
                actions.write(to: &writer)
            }
        }
        writer.endObject()
        return writer.bytes
    }

    /// A hash, because the alphabet contains no colon.
    private static func topic(_ collapseID: String) -> String { "m" + NotificationNames.hash(collapseID) }
}
