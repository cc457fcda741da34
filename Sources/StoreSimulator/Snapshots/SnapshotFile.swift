internal import AppStoreModels
internal import Basics
package import Foundation

/// A snapshot file. Its records are written and read in batches. In addition to the state itself, only the batches in
/// progress are in memory: one for each processor core.
///
///     {"version":5,"clock":{…},"production":{…},…}                     the state without the tables
///     {"table":"transactionTemplates","environment":"Production","count":1}     followed by `count` rows
///     {"value":{…}}
///     {"table":"transactions","environment":"Production","count":1}
///     {"key":"340001000000123","value":{"payload":"0 AbC…",…}}          template 0 and the differences from it
///     {"table":"end","count":3}                                          the number of lines before
///
/// Unknown members and tables are ignored; a missing table is empty.
package struct SnapshotFile {
    private let url: URL

    package init(_ url: URL) { self.url = url }

    struct Heading: Codable {
        var table: String
        var environment: AppStoreEnvironment?
        var count: Int
    }

    static let end = "end"

    /// Writes `state` to a temporary file and renames it to the snapshot when it is complete.
    package func write(_ state: SimulatorState) async throws {
        let temporary = url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).partial")
        do {
            var lines = try SnapshotWriter(temporary)
            var rest = state
            for table in SnapshotTable.all {
                table.clear(&rest.production)
                table.clear(&rest.sandbox)
            }
            try lines.add(rest)
            for environment in AppStoreEnvironment.simulated {
                let store = state[environment]
                let templates = SnapshotTemplates(of: store)
                try Self.write(templates, environment, &lines)
                try await SnapshotTemplates.$current.withValue(templates) {
                    for table in SnapshotTable.all { try await table.write(store, environment, &lines) }
                }
            }
            try lines.add(Heading(table: Self.end, count: lines.count))
            try lines.finish()
            guard rename(temporary.path, url.path) == 0 else { throw FileFailure.lastSystemError }
        } catch {
            // If the removal fails, the rest has a name that is never read.
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
    }

    /// Reads the state. Throws if the file is incomplete or damaged.
    package func read() async throws -> SimulatorState {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        var lines = SnapshotReader(file)
        var state = try lines.next(SimulatorState.self)
        var templates: [AppStoreEnvironment: SnapshotTemplates] = [:]
        while true {
            let before = lines.count
            let heading = try lines.next(Heading.self)
            guard heading.table != Self.end else {
                guard heading.count == before else { throw SnapshotTemplates.damaged }
                break
            }
            guard let environment = heading.environment, AppStoreEnvironment.simulated.contains(environment) else {
                try lines.skip(heading.count)
                continue
            }
            if try Self.read(heading, into: &templates[environment, default: SnapshotTemplates()], &lines) { continue }
            guard let table = SnapshotTable.all.first(where: { $0.name == heading.table }) else {
                try lines.skip(heading.count)
                continue
            }
            try await SnapshotTemplates.$current.withValue(templates[environment]) {
                try await table.read(&state[environment], heading.count, &lines)
            }
        }
        state.production.rebuildIndexes()
        state.sandbox.rebuildIndexes()
        return state
    }

    private static let transactionTemplates = "transactionTemplates"
    private static let renewalInfoTemplates = "renewalInfoTemplates"

    private static func write(
        _ templates: SnapshotTemplates, _ environment: AppStoreEnvironment, _ lines: inout SnapshotWriter
    ) throws {
        func write<Payload>(_ name: String, _ templates: [PayloadTemplate<Payload>]) throws {
            guard !templates.isEmpty else { return }
            try lines.add(Heading(table: name, environment: environment, count: templates.count))
            for template in templates { try lines.add(Row(value: template.payload)) }
        }
        try write(transactionTemplates, templates.transactions)
        try write(renewalInfoTemplates, templates.renewalInfos)
    }

    /// Reads a table of templates. Returns false if the heading is of another table.
    private static func read(
        _ heading: Heading, into templates: inout SnapshotTemplates, _ lines: inout SnapshotReader
    ) throws -> Bool {
        func read<Payload>() throws -> [PayloadTemplate<Payload>] {
            // Do not reserve capacity: the heading's count is not trusted.
            var templates: [PayloadTemplate<Payload>] = []
            while templates.count < heading.count {
                templates.append(PayloadTemplate(try lines.next(Row<Payload>.self).value))
            }
            return templates
        }
        switch heading.table {
        case transactionTemplates: templates = SnapshotTemplates(try read(), templates.renewalInfos)
        case renewalInfoTemplates: templates = SnapshotTemplates(templates.transactions, try read())
        default: return false
        }
        return true
    }

    struct Row<Value: Codable & Sendable>: Codable, Sendable {
        var key: String?
        var value: Value

        /// Writes the row without `Codable`. Returns false if the value requires `Codable`.
        func writeDirectly(to encoder: JSONLineEncoder, using write: SnapshotTable.ValueWriter<Value>?) -> Bool {
            guard let write, let templates = SnapshotTemplates.current else { return false }
            return encoder.line { json in
                json.open("{")
                json.member("key", key)
                json.key("value")
                guard write(value, &json, templates) else { return false }
                json.close("}")
                return true
            }
        }
    }
}
