internal import HTTPModel
internal import JSON

/// How the model chooses its words.
package struct ChatSampling: Sendable, Equatable {
    /// From 0 to 1, as Claude's API has it.
    package var temperature: Double?
    package var topP: Double?

    init() {}

    init(_ json: JSONValue) throws(APIError) {
        temperature = try ChatSampling.share(.temperature, json)
        topP = try ChatSampling.share(.topP, json)
    }

    /// The fields that are set.
    var names: [String] {
        [(ChatField.temperature, temperature), (.topP, topP)].compactMap { $1 == nil ? nil : $0.rawValue }
    }

    private static func share(_ field: ChatField, _ json: JSONValue) throws(APIError) -> Double? {
        guard let value = json[field.rawValue], value != .null else { return nil }
        guard let share = value.double, (0...1).contains(share) else {
            throw .refused(field, "'\(field.rawValue)' must be a number from 0 to 1: Claude takes no other.")
        }
        return share
    }
}
