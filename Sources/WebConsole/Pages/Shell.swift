/// The frame of every page.
package struct Shell: Sendable {
    /// The page's name, in the title and in its heading.
    package var heading: String
    /// An untrusted heading, such as a customer's name.
    package var foreignHeading: String?
    /// The parent page, which lists pages like this one.
    package var up: (title: String, link: PageLink)?
    /// The name of the program in the bar: "Counterfoil simulator".
    package var product: String
    package var home: PageLink
    package var navigation: [Item] = []
    /// Choices in the bar: the environments, of each app if there are several.
    package var choices: [Choice] = []
    /// Lists in the bar instead of ``choices``, if these would be too many.
    package var picker: Picker?
    /// Whether the bar is striped, and says SANDBOX.
    package var isSandbox = false
    /// The search field; nil for none.
    package var search: Search?
    /// The signed-in user.
    package var account: Account?
    /// The topics of the event stream at `events` that update the page.
    package var topics: [String] = []
    package var events = PageLink("events")
    /// The number of the last change before the page was rendered, where its stream begins: ``EventHub/lastChange``.
    package var since: Int?
    package var assets: ConsoleAssets
    /// `light`, `dark`, or nil for the system's setting.
    package var theme: Theme?
    /// The target of the form that changes the theme.
    package var themeAction = PageLink("theme")
    /// The link to this page. A change of the theme returns to it.
    package var current: PageLink
    /// The notes above the page, such as the result of an action or read-only mode.
    package var notes: [String] = []
    /// The error to show. The title begins with "Error: ".
    package var problem: Problem?
    package var version: String
    /// The simulated time, such as "simulated time 1 March 2027, frozen"; nil for real time.
    package var clock: String?
    /// The API request that returns the page's contents as JSON.
    package var api: String?
    /// The command that shows or does the same as the page.
    package var command: String?

    package struct Item: Sendable {
        package var title: String
        package var link: PageLink
        package var isCurrent: Bool
        /// The letter of the keyboard shortcut: `g`, then this letter.
        package var shortcut: String?

        package init(_ title: String, _ link: PageLink, isCurrent: Bool = false, shortcut: String? = nil) {
            (self.title, self.link, self.isCurrent, self.shortcut) = (title, link, isCurrent, shortcut)
        }
    }

    /// Links to choose from, with a common name.
    package struct Choice: Sendable {
        /// The name, such as an app's; nil if there is only one group.
        package var name: String?
        package var items: [Item]

        package init(of name: String? = nil, _ items: [Item]) { (self.name, self.items) = (name, items) }
    }

    /// A form with lists of options.
    package struct Picker: Sendable {
        package struct List: Sendable {
            /// The name of the parameter.
            package var name: String
            package var label: String
            package var options: [String]
            package var chosen: String?

            package init(_ name: String, label: String, options: [String], chosen: String?) {
                (self.name, self.label, self.options, self.chosen) = (name, label, options, chosen)
            }
        }

        package var action: PageLink
        package var lists: [List]

        package init(_ action: PageLink, _ lists: [List]) { (self.action, self.lists) = (action, lists) }
    }

    package struct Search: Sendable {
        package var action: PageLink
        package var label: String
        /// The current search text.
        package var text: String
        /// The hidden fields, such as the app and the environment.
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

    /// An error message above the page.
    package struct Problem: Sendable {
        package var title: String
        /// The reasons. The first one is about the field, if there is one.
        package var reasons: [String]
        /// The identifier of the field with the error.
        package var field: String?

        fileprivate var reasonValues: PageValue {
            let link = field.map { PageLink(fragment: $0) }
            return .list(
                reasons.enumerated().map { index, reason -> PageValue in
                    [
                        "reason": .foreign(reason, limit: 1000, showsWhole: true, marksCode: true),
                        "fieldURL": .optional(index == 0 ? link : nil),
                    ]
                })
        }

        package init(_ title: String, reasons: [String], field: String? = nil) {
            (self.title, self.reasons, self.field) = (title, reasons, field)
        }
    }

    package init(heading: String, product: String, home: PageLink, assets: ConsoleAssets, version: String) {
        (self.heading, self.product, self.home, current) = (heading, product, home, home)
        (self.assets, self.version) = (assets, version)
    }

    /// The parts of the title, most specific first.
    private var titles: [String] { (foreignHeading.map { [$0] } ?? []) + [heading, product] }

    /// The values for the template `shell`.
    package var values: [String: PageValue] {
        var values: [String: PageValue] = [
            "shellTitle": .text((problem == nil ? "" : "Error: ") + titles.joined(separator: " · ")),
            "shellHeading": foreignHeading == nil ? .text(heading) : .nothing,
            // A heading cannot expand a cut text. Names of customers are shorter than the limit.
            "shellForeignHeading": .foreign(foreignHeading, limit: 300, breaksNames: true),
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
        values["shellPicker"] =
            picker.map { ["url": .link($0.action), "lists": .list($0.lists.map(\.value))] } ?? .nothing
        values["shellSearch"] =
            search.map { search in
                [
                    "url": .link(search.action), "label": .text(search.label), "text": .exact(search.text),
                    "fields": .list(search.fields.map { ["name": .exact($0.0), "value": .exact($0.1)] }),
                ]
            } ?? .nothing
        values["shellAccount"] =
            account.map { ["name": .foreign($0.name, limit: 60), "url": .link($0.signOut)] } ?? .nothing
        values["shellProblem"] = problem.map { ["title": .text($0.title), "reasons": $0.reasonValues] } ?? .nothing
        values["shellEquivalents"] = .list(
            [
                ("As API", "equivalent-api", api), ("As command", "equivalent-command", command),
            ].compactMap { title, id, text in
                text.map { ["title": .text(title), "id": .text(id), "code": .foreign($0, limit: 2000)] }
            })
        return values
    }
}

extension Shell.Item {
    fileprivate var value: PageValue {
        [
            "title": .foreign(title, limit: 200, breaksNames: true), "url": .link(link), "isCurrent": .flag(isCurrent),
            "shortcut": .optional(shortcut),
        ]
    }
}

extension Shell.Choice {
    fileprivate var value: PageValue {
        [
            // A long bundle identifier must not be cut before its end.
            "choiceName": .foreign(name, limit: 200, breaksNames: true), "choiceLabel": .optional(name),
            "items": .list(items.map(\.value)),
        ]
    }
}

extension Shell.Picker.List {
    fileprivate var value: PageValue {
        [
            "name": .exact(name), "label": .text(label),
            "options": .list(
                options.map { option in
                    [
                        "value": .exact(option), "title": .text(option),
                        "isChosen": .flag(option == chosen),
                    ]
                }),
        ]
    }
}
