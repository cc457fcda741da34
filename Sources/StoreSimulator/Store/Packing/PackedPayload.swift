internal import Basics
internal import Synchronization

// What nearly all payloads of a product have in common is kept once. Of each is kept what it has besides: a hundred bytes or
// two instead of six hundred.

/// A payload that can be kept as what it has besides another one of its kind.
package protocol PackablePayload: Hashable, Sendable, Codable {
    /// What payloads with much in common share.
    associatedtype Kind: Hashable, Sendable
    var kind: Kind { get }

    /// Whether it has none of the fields that ``pack(_:_:)`` leaves out, which are rare.
    var isPackable: Bool { get }

    /// Goes through all other fields, always in the same order. `template` is the payload that they are compared with.
    mutating func pack(_ fields: inout PackedFields, _ template: Self)

    /// Those of a snapshot.
    static func templates(in snapshot: SnapshotTemplates) -> [PayloadTemplate<Self>]

    /// What the others are compared with.
    static var templates: PayloadTemplates<Self> { get }
}

/// A payload that takes little room. Copies share it until one of them is changed.
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

    /// What another place can share.
    package var projectedValue: Self { self }

    /// What it is kept as a difference from, if it is.
    package var template: PayloadTemplate<Payload>? {
        if case .packed(let template, _) = storage { template } else { nil }
    }

    /// Whether it is kept as the very same bytes.
    package func isSame(as other: Self) -> Bool {
        guard case .packed(let template, let fields) = storage,
            case .packed(let otherTemplate, let otherFields) = other.storage
        else { return false }
        return template === otherTemplate && fields == otherFields
    }

    /// In a snapshot that has the templates, the number of the template and the fields in base64url; elsewhere the whole.
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

    /// The number of the template and the fields in base64url.
    package func text(_ templates: SnapshotTemplates) -> String? {
        guard case .packed(let template, let fields) = storage, let number = templates.number(of: template) else {
            return nil
        }
        return "\(number) \(Base64.encodeURL(fields))"
    }
}

/// A payload that others are kept as differences from.
package final class PayloadTemplate<Payload: PackablePayload>: Sendable {
    package let payload: Payload

    package init(_ payload: Payload) { self.payload = payload }

    /// What a payload has besides this one; nil if it has something that has no place among the fields.
    fileprivate func fields(of other: Payload) -> [UInt8]? {
        var fields = PackedFields()
        var copy = other
        copy.pack(&fields, payload)
        // A field that `pack` does not know would be the template's from now on.
        guard let bytes = fields.written, payload(with: bytes) == other else { return nil }
        return bytes
    }

    fileprivate func payload(with bytes: [UInt8]) -> Payload {
        var fields = PackedFields(bytes)
        var copy = payload
        copy.pack(&fields, payload)
        return copy
    }
}

/// The first payload of each kind, as long as the process runs. Payloads of more kinds than a thousand stay whole.
package final class PayloadTemplates<Payload: PackablePayload>: Sendable {
    private let templates = Mutex<[Payload.Kind: PayloadTemplate<Payload>]>([:])

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
