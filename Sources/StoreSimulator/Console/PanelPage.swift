internal import AppStoreModels
internal import WebConsole

/// A page of the simulator's panel.
enum PanelPage: Sendable, Hashable {
    case customers, trigger, notifications, faults, catalogue, settings, snapshots, scenarios
    case customer(String)
    case notification(String)
    /// An unknown path.
    case unknown(String)

    /// The pages in the navigation, with their keyboard shortcuts. The path is the title in lower case.
    static let main: [(page: PanelPage, title: String, shortcut: String)] = [
        (.customers, "Customers", "c"), (.trigger, "Trigger", "t"), (.notifications, "Notifications", "n"),
        (.faults, "Faults", "f"), (.catalogue, "Catalogue", "a"), (.settings, "Settings", "s"),
        (.snapshots, "Snapshots", "o"), (.scenarios, "Scenarios", "r"),
    ]

    /// Creates the page of a path; nil if there is none.
    init?(_ segments: [String]) {
        switch (segments.first, segments.count) {
        case (nil, _): self = .customers
        case ("customers", 2): self = .customer(segments[1])
        case ("notifications", 2): self = .notification(segments[1])
        case (let name?, 1):
            guard let page = Self.main.first(where: { $0.page.segments == [name] })?.page else { return nil }
            self = page
        default: return nil
        }
    }

    /// Creates the page of a path, such as ``path`` returns.
    init?(path: String) { self.init(PageLink.segments(of: path.prefix { $0 != "?" })) }

    var path: String { PageLink(segments).description }

    var segments: [String] {
        switch self {
        case .customers: []
        case .customer(let name): ["customers", name]
        case .notification(let uuid): ["notifications", uuid]
        case .unknown(let path): PageLink.segments(of: path[...])
        default: Self.main.filter { $0.page == self }.map { $0.title.lowercased() }
        }
    }

    /// The name or path of the page's subject, which is external input; nil if the page has no subject.
    var subject: String? {
        switch self {
        case .customer(let name), .notification(let name), .unknown(let name): name
        default: nil
        }
    }

    /// The page in the navigation that contains this page.
    var parent: PanelPage {
        switch self {
        case .customer: .customers
        case .notification: .notifications
        default: self
        }
    }

    func link(in environment: AppStoreEnvironment, _ query: [(String, String)] = []) -> PageLink {
        PageLink(segments, query: (environment == .sandbox ? [("environment", "sandbox")] : []) + query)
    }
}

/// A request for a page.
struct PanelRequest: Sendable {
    var page: PanelPage
    var environment: AppStoreEnvironment
    var query: FormFields
    var theme: Shell.Theme?
    /// A form of this page that was refused.
    var formFailure: FormFailure?
    /// The number of the last published change before the page is rendered.
    var changes: Int?

    struct FormFailure: Sendable {
        var form: String
        var fields: FormFields
        var failure: ControlFailure
    }

    /// The environment in the paths of the control API: `production` or `sandbox`.
    var environmentName: String { environment.pathName }

    /// The command line option that selects the environment; empty for production.
    var environmentOption: String { environment == .sandbox ? " --environment sandbox" : "" }

    func link(_ page: PanelPage, _ query: [(String, String)] = []) -> PageLink { page.link(in: environment, query) }

    /// The link to the current page without one-time messages. A refused form is shown on its own page.
    var here: PageLink {
        let names = query.names.filter { !["environment", "done", "fragment"].contains($0) }
        return link(page, names.map { ($0, query.exact($0) ?? "") })
    }
}

/// The content of a page, without navigation and header.
struct PanelContent: Sendable {
    var template: String
    var heading: String
    var foreignHeading: String?
    var values: [String: PageValue]
    var api: String?
    var command: String?
}
