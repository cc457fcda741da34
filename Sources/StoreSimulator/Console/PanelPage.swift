internal import AppStoreModels
internal import WebConsole

/// A page of the simulator's panel.
enum PanelPage: Sendable, Hashable {
    case customers, trigger, notifications, faults, catalogue, settings, snapshots, scenarios
    case customer(String)
    case notification(String)

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

    /// The page of a path with its query, as ``path`` says it.
    init?(path: String) {
        let parts = path.split(separator: "?", maxSplits: 1)
        let query = try? FormFields(encoded: (parts.count > 1 ? parts[1] : "").utf8)
        self.init(PageLink.segments(of: parts.first ?? ""), query ?? FormFields())
    }

    /// A path cannot name a customer whose name is dots: the query does.
    init?(_ segments: [String], _ query: FormFields) {
        if segments == ["customers", "_"], let name = query.exact("name") {
            self = .customer(name)
        } else {
            self.init(segments)
        }
    }

    private var pathQuery: [(String, String)] {
        if case .customer(let name) = self, [".", ".."].contains(name) { [("name", name)] } else { [] }
    }

    /// The path, with what the query has to say.
    var path: String { PageLink(segments, query: pathQuery).description }

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
        PageLink(segments, query: pathQuery + (environment == .sandbox ? [("environment", "sandbox")] : []) + query)
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
