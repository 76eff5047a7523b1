package import EventModel
internal import Persistence

/// Notifies the service of commits that may be receipts of messages.
package struct MessageObserver: CommitObserver {
    private let service: InteractionService

    package init(_ service: InteractionService) {
        self.service = service
    }

    package func committed(_ batch: CommittedBatch) { service.committed(batch.events) }
}
