internal import AppStoreModels
internal import Basics
package import Foundation

/// A snapshot on disk, written and read a record at a time: neither takes more memory than the longest record and a buffer.
///
///     {"version":3,"clock":{…},"production":{…},…}                     the state, but for the tables
///     {"table":"transactionTemplates","environment":"Production","count":1}     then so many rows
///     {"value":{…}}
///     {"table":"transactions","environment":"Production","count":1}
///     {"key":"340001000000123","value":{"payload":"0 AbC…",…}}          what it has besides the first template
///     {"table":"end","count":3}                                         and how many lines there were
///
/// What is not known yet, tables included, is passed over; what is missing is as at the beginning.
package struct SnapshotFile {
    private let url: URL

    package init(_ url: URL) { self.url = url }

    struct Heading: Codable {
        var table: String
        var environment: AppStoreEnvironment?
        var count: Int
    }

    static let end = "end"
    private static let environments = [AppStoreEnvironment.production, .sandbox]

    /// Writes `state` beside the file and puts it into the file's place when it is complete.
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
            for environment in Self.environments {
                let store = state[environment]
                let templates = SnapshotTemplates(of: store)
                try Self.write(templates, environment, &lines)
                try await SnapshotTemplates.$current.withValue(templates) {
                    for table in SnapshotTable.all { try await table.write(store, environment, &lines) }
                }
            }
            try lines.add(Heading(table: Self.end, count: lines.count))
            try lines.finish()
            guard rename(temporary.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            // What is left of it has a name that nobody reads.
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
    }

    /// Reads the state. Throws for what is not whole.
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
                guard heading.count == before else { throw SnapshotReader.damaged }
                break
            }
            guard let environment = heading.environment, Self.environments.contains(environment) else {
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
        state.production.derive()
        state.sandbox.derive()
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

    /// Reads templates. Returns whether the heading says that they follow.
    private static func read(
        _ heading: Heading, into templates: inout SnapshotTemplates, _ lines: inout SnapshotReader
    ) throws -> Bool {
        func read<Payload>() throws -> [PayloadTemplate<Payload>] {
            // No room is made for what the heading only says.
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

        /// Writes it without a coder; false where it needs one.
        func isWritten(to encoder: JSONLineEncoder, _ write: SnapshotTable.ValueWriter<Value>?) -> Bool {
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
