internal import AppStoreModels
internal import Foundation
public struct TriggerRequest: Sendable, Codable {}
public struct CustomerState: Sendable, Codable {}
extension Store { mutating func trigger(_ r: TriggerRequest, at: Date) throws(StoreError) -> StoreOutcome { throw StoreError(.invalidArgument, "") }
 func state(of: String, at: Date) throws(StoreError) -> CustomerState { CustomerState() }
 func states(at: Date) -> [CustomerState] { [] } }
enum ControlDescription { static let text = "" }
