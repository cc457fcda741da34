internal import AppStoreModels
internal import WebConsole

/// A page of the simulator's panel.
enum PanelPage: Sendable, Hashable {
    case customers, trigger, notifications, faults, catalogue, settings, snapshots, scenarios
    case customer(String)
    case notification(String)
    /// A path that leads nowhere.
    case unknown(String)

    /// The pages that the navigation names, with their shortcuts.
    static let main: [(page: PanelPage, title: String, shortcut: String)] = [
        (.customers, "Customers", "c"), (.trigger, "Trigger", "t"), (.notifications, "Notifications", "n"),
        (.faults, "Faults", "f"), (.catalogue, "Catalogue", "a"), (.settings, "Settings", "s"),
        (.snapshots, "Snapshots", "o"), (.scenarios, "Scenarios", "r"),
    ]

    /// The page of a path; nil if there is none.
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

    /// The page of a path, as ``path`` says it.
    init?(path: String) { self.init(PageLink.segments(of: path.prefix { $0 != "?" })) }

    var path: String { PageLink(segments).description }

    var segments: [String] {
        switch self {
        case .customers: []
        case .trigger: ["trigger"]
        case .notifications: ["notifications"]
        case .faults: ["faults"]
        case .catalogue: ["catalogue"]
        case .settings: ["settings"]
        case .snapshots: ["snapshots"]
        case .scenarios: ["scenarios"]
        case .customer(let name): ["customers", name]
        case .notification(let uuid): ["notifications", uuid]
        case .unknown(let path): PageLink.segments(of: path[...])
        }
    }

    /// What strangers named, if it is about one thing.
    var subject: String? {
        switch self {
        case .customer(let name), .notification(let name), .unknown(let name): name
        default: nil
        }
    }

    /// Which part of the navigation it belongs to.
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

/// A page that is asked for.
struct PanelRequest: Sendable {
    var page: PanelPage
    var environment: AppStoreEnvironment
    var query: FormFields
    var theme: Shell.Theme?
    /// A form of this page that could not be carried out.
    var mistake: Mistake?
    /// What the stream has told before the page is made.
    var changes: Int?

    struct Mistake: Sendable {
        var form: String
        var fields: FormFields
        var failure: ControlFailure
    }

    /// `production` or `sandbox`, as the control API's paths have it.
    var environmentName: String { environment == .sandbox ? "sandbox" : "production" }

    /// What a command needs behind it to mean this environment.
    var environmentOption: String { environment == .sandbox ? " --environment sandbox" : "" }

    func link(_ page: PanelPage, _ query: [(String, String)] = []) -> PageLink { page.link(in: environment, query) }

    /// The page as somebody looks at it, without what was said on it once. A form that was refused stands on its page.
    var here: PageLink {
        let names = query.names.filter { !["environment", "done", "fragment"].contains($0) }
        return link(page, names.map { ($0, query.exact($0) ?? "") })
    }
}

/// What a page says, without its frame.
struct PanelContent: Sendable {
    var template: String
    var heading: String
    var foreignHeading: String?
    var values: [String: PageValue]
    var api: String?
    var command: String?

    init(
        _ template: String, _ heading: String, foreign: String? = nil, _ values: [String: PageValue],
        api: String? = nil, command: String? = nil
    ) {
        (self.template, self.heading, foreignHeading) = (template, heading, foreign)
        (self.values, self.api, self.command) = (values, api, command)
    }
}
