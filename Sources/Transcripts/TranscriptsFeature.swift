package import API
package import EventModel
internal import JSON
internal import Persistence

extension Feature {
    /// Receives the transcripts of machines.
    package static func transcripts(
        _ receiver: TranscriptReceiver,
        clock: @escaping @Sendable () -> Timestamp
    ) -> Feature {
        var feature = Feature("transcripts")
        feature.routes = TranscriptRoutes(receiver: receiver, clock: clock).routes
        feature.schemas = [
            ("TranscriptPiece", JSONSchema.text),
            ("TranscriptTaken", JSONSchema.object(["next_offset": JSONSchema.count])),
        ]
        feature.retention = TranscriptRetention.steps
        feature.erasure = TranscriptErasure.steps
        feature.forgetErased = { await receiver.forgetLines() }
        feature.run = { await receiver.run() }
        return feature
    }
}
