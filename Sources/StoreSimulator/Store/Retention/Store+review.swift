internal import AppStoreModels
internal import Foundation

// Apple's approval or rejection of messages and images.

extension Store {
    mutating func decide(message id: UUID, _ state: RetentionMessageState) throws(StoreError) -> Subject {
        do throws(APIFailure) { try retention.decide(message: id, state) } catch { throw StoreError(error) }
        return Subject()
    }

    mutating func decide(image id: UUID, _ state: RetentionImageState) throws(StoreError) -> Subject {
        do throws(APIFailure) { try retention.decide(image: id, state) } catch { throw StoreError(error) }
        return Subject()
    }
}
