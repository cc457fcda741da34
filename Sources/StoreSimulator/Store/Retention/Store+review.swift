internal import AppStoreModels

extension Store {
    /// Carries out Apple's approval or rejection of a message or an image.
    mutating func applyReview(_ command: StoreCommand) throws(StoreError) -> Subject {
        var messaging = retention
        switch command {
        case .approveMessage(let id):
            try Self.mappingAPIFailure { () throws(APIFailure) in try messaging.decide(message: id, .approved) }
        case .rejectMessage(let id):
            try Self.mappingAPIFailure { () throws(APIFailure) in try messaging.decide(message: id, .rejected) }
        case .approveImage(let id):
            try Self.mappingAPIFailure { () throws(APIFailure) in try messaging.decide(image: id, .approved) }
        case .rejectImage(let id):
            try Self.mappingAPIFailure { () throws(APIFailure) in try messaging.decide(image: id, .rejected) }
        default: throw StoreError(.invalidArgument, "unknown command")
        }
        retention = messaging
        return Subject()
    }
}
