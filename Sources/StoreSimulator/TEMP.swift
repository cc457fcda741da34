internal import AppStoreModels
internal import Foundation
public struct TriggerRequest: Sendable, Codable {}
extension Store { mutating func trigger(_ r: TriggerRequest, at: Date) throws(StoreError) -> StoreOutcome { throw StoreError(.invalidArgument, "") } }
enum ControlDescription { static let text = "" }
