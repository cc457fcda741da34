internal import Basics
internal import ConfigurationReading
internal import Foundation

extension ConfigurationValue {
    private static let maximumBytes = 4 << 20
    private static let maximumValues = 500_000

    /// Parses JSON.
    init(json: Data) throws(CatalogueError) {
        guard json.count <= Self.maximumBytes else { throw CatalogueError("larger than 4 MiB") }
        // Commas in texts count as well. No file with so many is a catalogue.
        guard json.count(where: { $0 == UInt8(ascii: ",") }) <= Self.maximumValues else {
            throw CatalogueError("more than \(Self.maximumValues) values")
        }
        // Editors on Windows write a byte order mark, which strict JSON does not have.
        let text = json.starts(with: [0xEF, 0xBB, 0xBF]) ? json.dropFirst(3) : json
        do { self = Self(try StrictJSONDecoder.decode(JSONValue.self, from: Array(text))) } catch JSONProblem.depth {
            throw CatalogueError("nested deeper than any StoreKit configuration")
        } catch {
            throw CatalogueError("not JSON" + ((error as? JSONProblem).map { ": \($0.description)" } ?? ""))
        }
    }

    private init(_ json: JSONValue) {
        switch json {
        case .null: self.init(.nothing)
        case .array(let items): self.init(.list(items.map { Self($0) }))
        case .object(let members): self.init(.mapping(members.mapValues { Self($0) }))
        case .number(let number): self.init(.text(Int64(exactly: number).map { "\($0)" } ?? json.shown))
        case .bool, .integer, .string: self.init(.text(json.shown))
        }
    }
}
