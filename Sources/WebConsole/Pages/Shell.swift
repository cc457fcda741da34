/// The frame of every page.
package struct Shell: Sendable {
    /// The page's name, in the title and in its heading.
    package var heading: String
    /// A heading that somebody else wrote: a customer's name.
    package var foreignHeading: String?
    /// What the heading stands under: the page that lists others like this one.
    package var up: (title: String, link: PageLink)?
    /// The name in the bar: "Counterfoil simulator".
    package var product: String
    package var home: PageLink
    package var navigation: [Item]
    /// Choices in the bar: environments, apps.
    package var choices: [Item]
    /// Whether the bar is striped, and says SANDBOX.
    package var isSandbox: Bool
    /// Where the search field leads; nil for none.
    package var search: Search?
    /// Who is signed in.
    package var account: Account?
    /// What the page is told of while it is open: topics of the stream at `events`.
    package var topics: [String]
    package var events: PageLink
    /// The number of the last change before the page was made, where its stream begins: ``EventHub/lastChange``.
    package var since: Int?
    package var assets: ConsoleAssets
    /// `light`, `dark`, or nil for the choice of the system.
    package var theme: Theme?
    package var themeAction: PageLink
    /// This page, where a choice of the theme leads back to.
    package var current: PageLink
    /// Notes above the page: what was done, read-only mode.
    package var notes: [String]
    /// Why the page is not what was asked for. The title begins with "Error: ".
    package var problem: Problem?
    package var version: String
    /// "simulated time 1 March 2027, frozen"; nil where time is real.
    package var clock: String?
    /// The request that has the same answer as JSON.
    package var api: String?
    /// The command that shows or does the same.
    package var command: String?

    package struct Item: Sendable {
        package var title: String
        package var link: PageLink
        package var isCurrent: Bool
        /// The key of `g` and a letter.
        package var shortcut: String?

        package init(_ title: String, _ link: PageLink, isCurrent: Bool = false, shortcut: String? = nil) {
            (self.title, self.link, self.isCurrent, self.shortcut) = (title, link, isCurrent, shortcut)
        }
    }

    package struct Search: Sendable {
        package var action: PageLink
        package var label: String
        /// What was searched for.
        package var text: String
        /// What goes along: the app, the environment.
        package var fields: [(String, String)]

        package init(_ action: PageLink, label: String, text: String = "", fields: [(String, String)] = []) {
            (self.action, self.label, self.text, self.fields) = (action, label, text, fields)
        }
    }

    package struct Account: Sendable {
        package var name: String
        package var signOut: PageLink

        package init(name: String, signOut: PageLink) { (self.name, self.signOut) = (name, signOut) }
    }

    package enum Theme: String, Sendable, CaseIterable { case light, dark }

    /// What went wrong, in front of the page.
    package struct Problem: Sendable {
        package var title: String
        package var reasons: [String]
        /// The identifier of the field that it is about.
        package var field: String?

        package init(_ title: String, reasons: [String], field: String? = nil) {
            (self.title, self.reasons, self.field) = (title, reasons, field)
        }
    }

    package init(heading: String, product: String, home: PageLink, assets: ConsoleAssets, version: String) {
        (self.heading, self.product, self.home) = (heading, product, home)
        (self.assets, self.version) = (assets, version)
        (navigation, choices, isSandbox, topics, notes) = ([], [], false, [], [])
        (events, themeAction, current) = (PageLink("events"), PageLink("theme"), home)
    }

    /// What tells this page from all others, the closest first: two pages may be about one customer.
    private var titles: [String] { (foreignHeading.map { [$0] } ?? []) + [heading, product] }

    /// The values that the template `shell` names.
    package var values: [String: PageValue] {
        var values: [String: PageValue] = [
            "shellTitle": .text((problem == nil ? "" : "Error: ") + titles.joined(separator: " · ")),
            "shellHeading": foreignHeading == nil ? .text(heading) : .nothing,
            // A heading has no place for the rest, and no name of a customer is longer.
            "shellForeignHeading": .foreign(foreignHeading, limit: 300),
            "shellKind": foreignHeading == nil ? .nothing : .text(heading),
            "shellUp": up.map { ["title": .text($0.title), "url": .link($0.link)] } ?? .nothing,
            "shellProduct": .text(product), "shellHomeURL": .link(home), "shellIsSandbox": .flag(isSandbox),
            "shellNavigation": .list(navigation.map(\.value)),
            "shellChoices": choices.isEmpty ? .nothing : .object(["choices": .list(choices.map(\.value))]),
            "shellStyleURL": .link(assets.style), "shellScriptURL": .link(assets.script),
            "shellIconURL": .link(assets.icon), "shellTheme": .optional(theme?.rawValue),
            "shellThemeURL": .link(themeAction), "shellReturn": .exact(current.description),
            "shellTopics": .text(topics.joined(separator: ",")), "shellEventsURL": .link(events),
            "shellSince": .text(since.map { String($0) } ?? ""),
            "shellIsLive": .flag(!topics.isEmpty), "shellNotes": .list(notes.map { .foreign($0, limit: 500) }),
            "shellVersion": .text(version), "shellClock": .optional(clock), "shellCurrentURL": .link(current),
        ]
        values["shellThemes"] = .list(
            [("", "As the system"), (Theme.light.rawValue, "Light"), (Theme.dark.rawValue, "Dark")].map {
                value, title in
                ["value": .exact(value), "title": .text(title), "isChosen": .flag((theme?.rawValue ?? "") == value)]
            })
        values["shellSearch"] =
            search.map { search in
                [
                    "url": .link(search.action), "label": .text(search.label), "text": .exact(search.text),
                    "fields": .list(search.fields.map { ["name": .exact($0.0), "value": .exact($0.1)] }),
                ]
            } ?? .nothing
        values["shellAccount"] =
            account.map { ["name": .foreign($0.name, limit: 60), "url": .link($0.signOut)] } ?? .nothing
        values["shellProblem"] =
            problem.map { problem in
                [
                    "title": .text(problem.title),
                    "reasons": .list(problem.reasons.map { .foreign($0, limit: 1000, showsWhole: true) }),
                    "fieldURL": problem.field.map { .link(PageLink(fragment: $0)) } ?? .nothing,
                ]
            } ?? .nothing
        values["shellTwins"] = .list(
            [("As API", "api", api), ("As command", "command", command)].compactMap { title, id, text in
                text.map { ["title": .text(title), "id": .text("twin-" + id), "code": .foreign($0, limit: 2000)] }
            })
        return values
    }
}

extension Shell.Item {
    fileprivate var value: PageValue {
        [
            // An app and its environment: a bundle identifier may be long, and what tells two apart is at the end.
            "title": .foreign(title, limit: 200), "url": .link(link), "isCurrent": .flag(isCurrent),
            "shortcut": .optional(shortcut),
        ]
    }
}
