internal import AppStoreModels
internal import Foundation
enum ControlDescription { static let text = "" }
