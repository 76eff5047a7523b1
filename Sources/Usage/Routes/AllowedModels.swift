internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// The models that a credential may know of: all, or those with which an API key may chat.
struct AllowedModels {
    let list: [Entry]
    /// Whether nothing is left out.
    private let isWhole: Bool

    init(of principal: Principal?, in prices: PriceList) throws(APIError) {
        guard let principal, principal.may(.read) || principal.may(.chat) else {
            throw .insufficientScope(principal?.lacking(.read) ?? "This needs a credential.")
        }
        if !principal.may(.read), let names = principal.apiKey?.models {
            (list, isWhole) = (names.map { Entry(id: $0, record: prices.model($0)) }, false)
        } else {
            (list, isWhole) = (prices.models.map { Entry(id: $0.id, record: $0) }, true)
        }
    }

    /// Whether a model that the price list finds by the name may be shown.
    func allow(_ name: String) -> Bool { isWhole || list.contains { $0.id == name } }

    /// One in a list.
    struct Entry: Sendable {
        var id: String
        /// `nil` if no price is known.
        var record: ModelRecord?

        func write(to writer: inout JSONWriter) {
            guard let record else {
                writer.field("id", id)
                writer.field("object", "model")
                writer.field("created", 0)
                writer.field("owned_by", "anthropic")
                return
            }
            record.writeObject(as: id, to: &writer)
        }
    }
}
