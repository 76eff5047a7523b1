import Foundation

/// The fields of the server's lists that the tables show. Every field may be missing.
struct KeyList: Decodable {
    struct Key: Decodable {
        var id: LooseText?
        var name: String?
        var prefix: String?
        var createdAt: String?
        var lastUsedAt: String?
        var revokedAt: String?
    }
    var keys: [Key]
}

struct NewKey: Decodable {
    var id: LooseText
    var name: String
    var key: String
}

struct SessionList: Decodable {
    struct Session: Decodable {
        struct Waiting: Decodable {
            var kind: String?
            var toolName: String?
        }
        struct Usage: Decodable {
            var inputTokens: Int64?
            var outputTokens: Int64?
        }
        var id: String
        var machineName: String?
        var projectPath: String?
        var status: String?
        var state: String?
        var waitingFor: Waiting?
        var lastActivityAt: String?
        var toolCallCount: Int64?
        var tokenUsage: Usage?
        var title: String?
    }
    var sessions: [Session]
}

struct MachineList: Decodable {
    struct Machine: Decodable {
        var id: LooseText?
        var name: String?
        /// The name that the machine reports.
        var reportedName: String?
        var lastSeenAt: String?
        var sessionCount: Int64?
        var clock: Clock?
        var hooksVersion: String?
    }
    struct Clock: Decodable {
        /// The machine's time minus the server's.
        var offsetSeconds: Double?
    }
    var machines: [Machine]
}

struct EventLine: Decodable {
    var seq: Int64
    var eventId: String?
    var type: String?
    var timestamp: String?
    var sessionId: String?
    var machineId: LooseText?
    var machineName: String?
    var hookEventName: String?
    var toolName: String?
    var summary: String?
}

struct Health: Decodable {
    struct Database: Decodable {
        var ok: Bool?
        var status: String?
        var error: String?
    }
    var ok: Bool?
    var status: String?
    var version: String?
    /// The server's clock at the time of the answer.
    var time: String?
    var database: Database?
}

/// A JSON string or number, as text.
struct LooseText: Decodable, Equatable {
    var text: String

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        text = try (try? value.decode(String.self)) ?? String(value.decode(Int64.self))
    }
}

enum ServerJSON {
    static func decode<T: Decodable>(_ type: T.Type, _ body: Data) throws(CommandError) -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(type, from: body)
        } catch {
            throw .refused("monitorctl \(Monitorctl.version) cannot read the server's answer: it may be too old")
        }
    }
}
