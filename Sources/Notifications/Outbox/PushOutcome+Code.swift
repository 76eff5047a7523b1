internal import EventModel
package import PushGateway

extension PushOutcome {
    /// What became of the try.
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

    /// As for a token with a topic of its own: that the service does not take the topic is a fault of the token.
    package var blamingTopicOnToken: PushOutcome {
        guard case .rejected(let answer, var reaction) = self, reaction.fault == .topic else { return self }
        (reaction.token, reaction.fault) = (.quarantine, nil)
        return .rejected(answer, reaction)
    }

    /// Why no push of the channel would go through; `nil`: others may.
    var channelFault: String? {
        guard case .rejected(let answer, let reaction) = self, let fault = reaction.fault, fault.stopsChannel else {
            return nil
        }
        return answer.reasonText ?? (fault == .key ? "the service does not take our token" : "\(fault)")
    }
}

extension PushAnswer {
    /// What the service said, for people.
    var said: String { reasonText ?? "status \(status)" }
}

extension PushReaction {
    /// Of a push that is not tried again.
    var code: PushCode {
        switch token {
        case .confirmed, .keep: .rejected
        case .quarantine: .tokenRefused
        case .drop: .tokenGone
        }
    }

    /// What the token is from now on; `nil`: as before.
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
        }
    }
}
