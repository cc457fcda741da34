internal import AppStoreTrust

/// Limits the memory for parsing: swift-asn1 needs some hundred bytes for every element, and an element can be as small
/// as two bytes.
enum ElementBudget {
    static let maximum = 1 << 17
    private static let maximumDepth = 50  // that of swift-asn1

    /// Throws if the input has more than ``maximum`` elements. Scans the input once and allocates nothing for the
    /// elements.
    static func check(_ bytes: ArraySlice<UInt8>, _ name: String) throws(VerificationError) {
        guard bytes.count / 2 > maximum else { return }
        var rest = bytes
        var ends: [Int?] = []  // where each open element ends; nil while it waits for end-of-contents octets
        var count = 0
        while !rest.isEmpty {
            if let end = ends.last {
                if end == rest.startIndex || (end == nil && rest.starts(with: [0, 0])) {
                    if end == nil { rest.removeFirst(2) }
                    ends.removeLast()
                    continue
                }
            }
            count += 1
            guard count <= maximum else {
                throw VerificationError(.tooLarge, "\(name) has more than \(maximum) elements")
            }
            guard let header = Header(readFrom: &rest) else { throw .malformed("\(name) is truncated") }
            if header.isConstructed {
                guard ends.count < maximumDepth else { throw .malformed("\(name) is nested too deeply") }
                ends.append(header.length.map { rest.startIndex + $0 })
            } else if let length = header.length {
                rest = rest.dropFirst(length)
            } else {
                throw .malformed("\(name) has a primitive element of indefinite length")
            }
        }
    }

    private struct Header {
        let isConstructed: Bool
        let length: Int?

        init?(readFrom rest: inout ArraySlice<UInt8>) {
            guard let tag = rest.popFirst() else { return nil }
            isConstructed = tag & 0x20 != 0
            if tag & 0x1F == 0x1F {
                var byte: UInt8
                repeat {
                    guard let next = rest.popFirst() else { return nil }
                    byte = next
                } while byte & 0x80 != 0
            }
            guard let first = rest.popFirst() else { return nil }
            if first == 0x80 {
                length = nil
                return
            }
            var value = Int(first)
            if first > 0x80 {
                value = 0
                for _ in 0..<(first & 0x7F) {
                    guard let byte = rest.popFirst(), value <= rest.endIndex else { return nil }
                    value = value << 8 | Int(byte)
                }
            }
            guard value <= rest.count else { return nil }
            length = value
        }
    }
}
