import AppStoreModels
import ArgumentParser

/// The environments as the command line names them.
enum EnvironmentName: String, ExpressibleByArgument, CaseIterable {
    case production
    case sandbox

    /// Ignores case, because the App Store writes `Production`.
    init?(argument: String) { self.init(rawValue: argument.lowercased()) }

    var environment: AppStoreEnvironment {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        }
    }
}
