/// How a push to Apple ended.
public typealias APNsOutcome = PushOutcome<APNsAnswer, APNsReaction>
