internal import EventModel
package import PushGateway

extension PushOutcome {
    /// The result of the attempt.
    var code: PushCode {
        switch self {
        case .accepted: .sent
        case .rejected(_, let reaction):
            switch reaction.retry {
            case .after, .backOff, .onceElsewhere: .retry
            case .onceSmaller: .tooLarge
            case .never: reaction.code
            }
        case .unsent(let cause): cause.code
        case .unknown: .noAnswer
        }
    }

    /// For a token with its own topic: a topic that the service rejects is an error of the token.
    package var blamingTopicOnToken: PushOutcome {
        guard case .rejected(let answer, var reaction) = self, reaction.fault == .topic else { return self }
        (reaction.token, reaction.fault) = (.quarantine, nil)
        return .rejected(answer, reaction)
    }

    /// The error if it affects every push of the channel; `nil` if other pushes may succeed.
    var channelFault: String? {
        guard case .rejected(let answer, let reaction) = self, let fault = reaction.fault, fault.stopsChannel else {
            return nil
        }
        return answer.reasonText ?? (fault == .key ? "the service does not take our token" : "\(fault)")
    }
}

extension PushAnswer {
    /// The service's answer as text for people.
    var said: String { reasonText ?? "status \(status)" }
}

extension PushReaction {
    /// The code of a push that is not retried.
    var code: PushCode {
        switch token {
        case .confirmed, .keep: .rejected
        case .quarantine: .tokenRefused
        case .drop: .tokenGone
        }
    }

    /// The new state of the token; `nil` if unchanged.
    var tokenState: PushTokenRecord.State? {
        switch token {
        case .confirmed: .active
        case .keep: nil
        case .quarantine: .quarantined
        case .drop: .gone
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
        case .denied: .withdrawn
        case .undecided: .undecided
        }
    }
}
