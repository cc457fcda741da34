/// A mutable ASN.1 element that can also be written in ways that DER forbids.
package struct DERElement: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case octets([UInt8])
        case elements([DERElement])
    }

    /// The encoding of the length.
    package enum LengthForm: Sendable, Hashable {
        case minimal
        /// One octet more than needed.
        case overlong
        /// No length, but end-of-contents octets.
        case indefinite
    }

    package var tag: [UInt8]
    package var content: Content
    package var lengthForm = LengthForm.minimal

    package init(_ tag: UInt8, _ octets: [UInt8]) { (self.tag, content) = ([tag], .octets(octets)) }

    package init(_ tag: UInt8, elements: [DERElement]) { (self.tag, content) = ([tag], .elements(elements)) }

    /// Parses one element that takes up all bytes.
    package init(parsing bytes: [UInt8]) throws {
        var rest = bytes[...]
        self = try Self(parsing: &rest)
        guard rest.isEmpty else { throw Unreadable() }
    }

    private init(parsing rest: inout ArraySlice<UInt8>) throws {
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { throw Unreadable() }
        var length = Int(first)
        if first >= 0x80 {
            let digits = rest.prefix(Int(first & 0x7F))
            rest = rest.dropFirst(digits.count)
            length = digits.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        guard rest.count >= length else { throw Unreadable() }
        var inside = rest.prefix(length)
        rest = rest.dropFirst(length)
        guard tag & 0x20 != 0 else {
            self.init(tag, Array(inside))
            return
        }
        var elements: [DERElement] = []
        while !inside.isEmpty { elements.append(try DERElement(parsing: &inside)) }
        self.init(tag, elements: elements)
    }

    struct Unreadable: Error {}

    /// The encoded element.
    package var bytes: [UInt8] {
        let inside = octets
        switch lengthForm {
        case .minimal where inside.count < 0x80: return tag + [UInt8(inside.count)] + inside
        case .overlong where inside.count < 0x80: return tag + [0x81, UInt8(inside.count)] + inside
        case .indefinite: return tag + [0x80] + inside + [0, 0]
        default:
            var digits = withUnsafeBytes(of: UInt64(inside.count).bigEndian) { Array($0.drop { $0 == 0 }) }
            if lengthForm == .overlong { digits.insert(0, at: 0) }
            return tag + [0x80 | UInt8(digits.count)] + digits + inside
        }
    }

    /// The content octets.
    package var octets: [UInt8] {
        get {
            switch content {
            case .octets(let octets): octets
            case .elements(let elements): elements.flatMap(\.bytes)
            }
        }
        set { content = .octets(newValue) }
    }

    /// The elements of a constructed element; empty for a primitive one.
    package var elements: [DERElement] {
        get { if case .elements(let elements) = content { elements } else { [] } }
        set { content = .elements(newValue) }
    }

    package var isConstructed: Bool { if case .elements = content { true } else { false } }

    /// The element at a path of indexes.
    package subscript(path: [Int]) -> DERElement {
        get { path.reduce(self) { $0.elements[$1] } }
        set {
            guard let first = path.first else {
                self = newValue
                return
            }
            elements[first][Array(path.dropFirst())] = newValue
        }
    }

    /// The paths of this element and of all elements inside it, outermost first.
    package var paths: [[Int]] {
        [[]] + elements.enumerated().flatMap { (position, element) in element.paths.map { [position] + $0 } }
    }
}
