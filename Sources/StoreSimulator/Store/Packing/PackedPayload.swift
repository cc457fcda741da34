internal import Basics
internal import Synchronization

// Payloads of the same product have nearly all fields in common. The common fields are stored once in a template, and
// each payload as its differences from it: 100 to 200 bytes instead of 600.

/// A payload that can be stored as the differences from a template of the same kind.
package protocol PackablePayload: Hashable, Sendable, Codable {
    /// Payloads of the same kind share a template.
    var kind: PayloadKind { get }

    /// Whether the payload has none of the rare fields that ``pack(_:_:)`` does not handle.
    var isPackable: Bool { get }

    /// Writes or reads all other fields, always in the same order. `template` is the payload to compare with.
    mutating func pack(_ fields: inout PackedFields, _ template: Self)

    /// Returns the templates of a snapshot.
    static func templates(in snapshot: SnapshotTemplates) -> [PayloadTemplate<Self>]

    /// The templates of this process.
    static var templates: PayloadTemplates<Self> { get }
}

/// A payload in compact storage. Copies share the storage until one of them is changed.
@propertyWrapper package struct Packed<Payload: PackablePayload>: Codable, Sendable {
    private enum Storage: Sendable {
        case whole(PayloadTemplate<Payload>)
        case packed(PayloadTemplate<Payload>, [UInt8])
    }

    private var storage: Storage

    package init(wrappedValue payload: Payload) {
        if payload.isPackable, let template = Payload.templates.template(for: payload),
            let fields = template.fields(of: payload)
        {
            storage = .packed(template, fields)
        } else {
            storage = .whole(PayloadTemplate(payload))
        }
    }

    package var wrappedValue: Payload {
        get {
            switch storage {
            case .whole(let whole): whole.payload
            case .packed(let template, let fields): template.payload(with: fields)
            }
        }
        set { self = Self(wrappedValue: newValue) }
    }

    /// The wrapper, to share its storage elsewhere.
    package var projectedValue: Self { self }

    /// The template that the payload is stored as a difference from; nil if it is stored whole.
    package var template: PayloadTemplate<Payload>? {
        if case .packed(let template, _) = storage { template } else { nil }
    }

    /// Whether both are stored with the same template and the same bytes.
    package func isSame(as other: Self) -> Bool {
        guard case .packed(let template, let fields) = storage,
            case .packed(let otherTemplate, let otherFields) = other.storage
        else { return false }
        return template === otherTemplate && fields == otherFields
    }

    /// Decodes the template's number and the fields in base64url in a snapshot with templates; elsewhere the whole
    /// payload.
    package init(from decoder: any Decoder) throws {
        guard let templates = SnapshotTemplates.current,
            let text = try decoder.singleValueContainer().decodeText()
        else {
            self.init(wrappedValue: try Payload(from: decoder))
            return
        }
        let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(Substring(parts[0])),
            case let known = Payload.templates(in: templates), known.indices.contains(number),
            let fields = Base64.decodeURL(Substring(parts[1]))
        else { throw SnapshotTemplates.damaged }
        self.init(.packed(known[number], fields))
    }

    private init(_ storage: Storage) { self.storage = storage }

    package func encode(to encoder: any Encoder) throws {
        guard let text = SnapshotTemplates.current.flatMap({ text($0) }) else {
            return try wrappedValue.encode(to: encoder)
        }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Returns the template's number and the fields in base64url; nil if the payload is stored whole or the template is
    /// not among `templates`.
    package func text(_ templates: SnapshotTemplates) -> String? {
        guard case .packed(let template, let fields) = storage, let number = templates.number(of: template) else {
            return nil
        }
        return "\(number) \(Base64.encodeURL(fields))"
    }
}

/// A payload that other payloads are stored as differences from.
package final class PayloadTemplate<Payload: PackablePayload>: Sendable {
    package let payload: Payload

    package init(_ payload: Payload) { self.payload = payload }

    /// Returns a payload's differences from this one; nil if they do not restore it.
    fileprivate func fields(of other: Payload) -> [UInt8]? {
        var fields = PackedFields()
        var copy = other
        copy.pack(&fields, payload)
        // Reading changes a value that does not fit, and replaces a field that `pack` does not handle with the
        // template's.
        return payload(with: fields.bytes) == other ? fields.bytes : nil
    }

    fileprivate func payload(with bytes: [UInt8]) -> Payload {
        var fields = PackedFields(bytes)
        var copy = payload
        copy.pack(&fields, payload)
        return copy
    }
}

/// The templates of this process: the first payload of each kind. Payloads of more than 1000 kinds are stored whole.
package final class PayloadTemplates<Payload: PackablePayload>: Sendable {
    private let templates = Mutex<[PayloadKind: PayloadTemplate<Payload>]>([:])

    fileprivate func template(for payload: Payload) -> PayloadTemplate<Payload>? {
        let kind = payload.kind
        return templates.withLock { templates in
            if let template = templates[kind] { return template }
            guard templates.count < 1000 else { return nil }
            let template = PayloadTemplate(payload)
            templates[kind] = template
            return template
        }
    }
}
