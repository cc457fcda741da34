internal import AppStoreModels
internal import AppStoreServer
internal import Foundation
internal import Synchronization
internal import WebConsole

/// The texts of the files in the folder Templates, which the build embeds.
package enum SimulatorPages {}

/// The web pages of the simulator. They read the same data as the control API, and forms call its operations.
struct SimulatorPanel: Sendable {
    let simulator: Simulator
    let state: PanelState

    /// The page templates, shared by all simulators of the process.
    static let library = try? PageLibrary(SimulatorPages.files)
    static let assets = ConsoleAssets(folder: ["assets"])

    var core: SimulatorCore { simulator.core }

    /// A page before rendering.
    struct Page {
        /// The HTTP status: 200, or the status of the error.
        var status: Int
        var template: String
        var values: [String: PageValue]
        var shell: Shell

        /// The rendered page; nil if the templates are invalid.
        var html: String? { SimulatorPanel.library?.page(template, values, in: shell) }
    }

    func page(_ request: PanelRequest) -> Page {
        var request = request
        request.changes = core.pages.lastChange
        let (content, failure): (PanelContent, ControlFailure?)
        do { (content, failure) = (try self.content(request), request.formFailure?.failure) } catch {
            let reason = ControlFailure(error)
            (content, failure) = (Self.missing(request.page, reason), reason)
        }
        var values = content.values
        values["clock"] = clock(request)
        return Page(
            status: failure?.status ?? 200, template: content.template, values: values,
            shell: shell(content, request, failure))
    }

    private func content(_ request: PanelRequest) throws -> PanelContent {
        switch request.page {
        case .customers: try customers(request)
        case .customer(let name): try customer(name, request)
        case .trigger: trigger(request)
        case .notifications: try notifications(request)
        case .notification(let uuid): try notification(uuid, request)
        case .faults: faults(request)
        case .catalogue: try catalogue(request)
        case .settings: settings(request)
        case .snapshots: try snapshots(request)
        case .scenarios: scenarios(request)
        case .unknown: throw ControlFailure(404, "not_found", "there is no such page")
        }
    }

    private static func missing(_ page: PanelPage, _ failure: ControlFailure) -> PanelContent {
        let heading =
            switch page {
            // The customer exists, but not the device or the text.
            case .customer where failure.code != "unknown_customer": "Device or text not found"
            case .customer: "Customer not found"
            case .notification: "Notification not found"
            default: "Page not found"
            }
        return PanelContent(
            template: "missing", heading: heading, foreignHeading: page.subject,
            values: ["advice": "It may have existed before a reset, or exist in the other environment."])
    }

    /// Returns what the pages have in common. `section` is the current page of the navigation.
    func shell(_ heading: String, _ request: PanelRequest, section: PanelPage? = nil) -> Shell {
        var shell = Shell(
            heading: heading, product: "Counterfoil simulator", home: request.link(.customers), assets: Self.assets,
            version: "Counterfoil \(AppStoreServerClient.version) for \(core.configuration.app.bundleID)")
        shell.navigation = PanelPage.main.map { page, title, shortcut in
            Shell.Item(title, request.link(page), isCurrent: page == section, shortcut: shortcut)
        }
        shell.isSandbox = request.environment == .sandbox
        shell.theme = request.theme
        shell.current = request.here
        return shell
    }

    private func shell(_ content: PanelContent, _ request: PanelRequest, _ failure: ControlFailure?) -> Shell {
        var shell = shell(content.heading, request, section: request.page.parent)
        shell.foreignHeading = content.foreignHeading
        if request.page.parent != request.page,
            let parent = PanelPage.main.first(where: { $0.page == request.page.parent })
        {
            shell.up = (parent.title, request.link(parent.page))
        }
        // A customer or notification does not exist in the other environment, so link to the list.
        let other = request.page.parent
        let environments = AppStoreEnvironment.simulated.map { environment in
            Shell.Item(environment.rawValue, other.link(in: environment), isCurrent: environment == request.environment)
        }
        shell.choices = [.init(environments)]
        shell.topics = [ChangeWatch.topic]
        shell.since = request.changes
        core.pages.expect(shell.topics)
        if let done = request.query["done"].flatMap({ state.note($0) }) { shell.notes = [done] }
        if let failure {
            shell.problem = .init(
                request.formFailure == nil ? "Not found" : "The action failed",
                reasons: ["\(failure.message) (\(failure.code))"],
                field: request.formFailure.flatMap { formFailure in
                    failure.param.map { PanelForm.fieldID(formFailure.form, $0) }
                })
        }
        shell.api = content.api.map { $0.replacing("{base}", with: simulator.information.controlURL) }
        shell.command = content.command
        return shell
    }
}

/// The state of the panel: form tickets, messages and scenario reports.
final class PanelState: Sendable {
    let tickets = FormTickets()
    private let kept = Mutex<(notes: [(id: String, text: String)], reports: [(id: String, report: ScenarioReport)])>(
        ([], []))

    /// Stores a message about a completed action for the next page. Returns its identifier.
    func store(message text: String) -> String {
        let id = UUID().text
        kept.withLock { $0.notes = $0.notes.suffix(199) + [(id, text)] }
        return id
    }

    func note(_ id: String) -> String? { kept.withLock { $0.notes.last { $0.id == id }?.text } }

    func store(report: ScenarioReport) -> String {
        let id = UUID().text
        kept.withLock { $0.reports = $0.reports.suffix(19) + [(id, report)] }
        return id
    }

    func report(_ id: String) -> ScenarioReport? { kept.withLock { $0.reports.last { $0.id == id }?.report } }
}
