internal import Agents

/// What agents report of the live text and screens of sessions whose ids in the log are still being looked up.
struct EarlyPieces {
    enum Piece {
        case text(AgentPartial)
        case screen(AgentScreen)

        var sessionName: String {
            switch self {
            case .text(let piece): piece.sessionID
            case .screen(let piece): piece.sessionID
            }
        }
    }

    /// For each session. Beyond it, all pieces of the session are dropped: later ones alone would show a wrong text.
    private static let most = 64

    /// `nil` for a session whose pieces were dropped.
    private var waiting: [String: [Piece]?] = [:]

    mutating func keep(_ piece: Piece) {
        guard var pieces = waiting[piece.sessionName, default: []] else { return }
        pieces.append(piece)
        waiting[piece.sessionName] = .some(pieces.count > EarlyPieces.most ? nil : pieces)
    }

    /// The pieces of a session whose id is known now, or that has ended.
    mutating func take(_ name: String) -> [Piece] { waiting.removeValue(forKey: name).flatMap(\.self) ?? [] }
}
