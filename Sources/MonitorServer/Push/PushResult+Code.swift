internal import EventModel
internal import PushGateway

extension PushResult {
    /// What became of the try.
    var code: PushCode {
        switch self {
        case .accepted: .sent
        case .rejected(let refusal):
            switch refusal.retry {
            case .after, .backOff, .onceElsewhere: .retry
            case .onceSmaller: .tooLarge
            case .never: refusal.token.code ?? .rejected
            }
        case .unsent(let cause): cause.code
        case .unknown: .noAnswer
        case .malformed: .malformed
        }
    }
}

extension PushResult.Token {
    /// `nil`: the refusal is not about the token.
    var code: PushCode? {
        switch self {
        case .confirmed, .keep: nil
        case .quarantine: .tokenRefused
        case .drop: .tokenGone
        }
    }
}

extension UnsentCause {
    fileprivate var code: PushCode {
        switch self {
        case .queueFull: .congested
        case .expired: .unreachable
        case .stopped: .stopped
        case .refused: .refused
        case .noProviderToken: .breaker
        case .unusableService: .unusableService
        case .untrusted: .untrusted
        }
    }
}
