internal import AppStoreModels
internal import Ledger
internal import WebConsole

extension Console.Selection {
    /// The maximum number of links in the bar. More would fill the page.
    private static let maximumLinks = 12

    /// Adds the choice of an app and environment to the bar: links, or two lists if there are too many.
    func addChoices(to shell: inout Shell, leadingTo path: [String]) {
        guard all.count > 1 else { return }
        guard all.count <= Self.maximumLinks else {
            let (app, environment) = (appEnvironment?.bundleID, appEnvironment?.environment.rawValue)
            shell.picker = .init(
                PageLink(path),
                [
                    .init("app", label: "App", options: Self.distinct(all.map(\.bundleID)), chosen: app),
                    .init(
                        "environment", label: "Environment", options: Self.distinct(all.map(\.environment.rawValue)),
                        chosen: environment),
                ])
            return
        }
        let apps = Self.distinct(all.map(\.bundleID))
        shell.choices = apps.map { app in
            let environments = all.filter { $0.bundleID.isExactly(app) }
            return Shell.Choice(
                of: apps.count > 1 ? app : nil,
                environments.map { appEnvironment in
                    Shell.Item(
                        appEnvironment.environment.rawValue, PageLink(path, query: appEnvironment.parameters),
                        isCurrent: appEnvironment.id == self.appEnvironment?.id)
                })
        }
    }

    private static func distinct(_ names: [String]) -> [String] {
        var known: Set<ExactText> = []
        return names.filter { known.insert(ExactText($0)).inserted }
    }
}
