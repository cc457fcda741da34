internal import AppStoreTrust

extension CertificateDefect {
    /// RFC 5280 §4.1.2.9 and §4.2: the list of extensions, and the encoding of each extension in the certificate.
    static let extensions: [CertificateDefect] = lists + known.flatMap { rows(of: $0, $1) }

    private static func rows(of name: String, _ identifier: [UInt8]) -> [CertificateDefect] {
        let twice = CertificateDefect("4.2 \(name): twice") {
            var copy: DERElement?
            try $0.changeExtension(identifier) { copy = $0 }
            $0.changeExtensions { $0 += [copy].compactMap(\.self) }
        }
        let critical = CertificateDefect("4.2 \(name): critical", .badChainRules) {
            try $0.changeExtension(identifier) {
                guard $0.elements.count == 2 else { throw Inapplicable() }
                $0.elements.insert(DERElement(1, [0xFF]), at: 1)
            }
        }
        return [twice, critical]
            + forms.map { (form, change) in
                CertificateDefect("4.2 \(name): \(form)") { try $0.changeExtension(identifier, change) }
            }
    }

    private static let known: [(String, [UInt8])] = [
        ("basic constraints", Identifier.basicConstraints), ("key usage", Identifier.keyUsage),
        ("authority key identifier", [0x55, 0x1D, 0x23]), ("subject key identifier", [0x55, 0x1D, 0x0E]),
        ("authority information access", [0x2B, 6, 1, 5, 5, 7, 1, 1]), ("certificate policies", [0x55, 0x1D, 0x20]),
        ("distribution points", [0x55, 0x1D, 0x1F]),
        ("the leaf's marker", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 6, 11, 1]),
        ("the intermediate's marker", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 6, 2, 1]),
    ]

    /// Replaces the elements between identifier and value.
    private static func criticality(_ element: DERElement) -> @Sendable (inout DERElement) -> Void {
        { $0.elements = [$0.elements[0], element, $0.elements[$0.elements.count - 1]] }
    }

    private static let forms: [(String, @Sendable (inout DERElement) throws -> Void)] = [
        ("not critical, written out", criticality(DERElement(1, [0]))),
        ("critical as 1", criticality(DERElement(1, [1]))), ("critical as a number", criticality(DERElement(2, [1]))),
        ("critical of two octets", criticality(DERElement(1, [0xFF, 0xFF]))),
        ("no value", { $0.elements.removeLast() }), ("no identifier", { $0.elements.removeFirst() }),
        ("bits for a value", { $0.elements[$0.elements.count - 1].tag = [3] }),
        ("a value in pieces", { $0.elements.append(DERElement(0x24, elements: [$0.elements.removeLast()])) }),
        ("two values", { $0.elements.append(DERElement(4, [])) }), ("a SET", { $0.tag = [0x31] }),
        ("the value first", { $0.elements.reverse() }),
    ]

    private static let lists: [CertificateDefect] = [
        CertificateDefect("4.1.2.9 extensions: none in the list") { $0[FieldPath.extensions].elements = [] },
        CertificateDefect("4.1.2.9 extensions: none", .badChainRules) { $0[[0]].elements.removeLast() },
        CertificateDefect("4.1.2.9 extensions: two lists") { $0[[0, 7]].elements.append($0[FieldPath.extensions]) },
        CertificateDefect("4.1.2.9 extensions: twice") { $0[[0]].elements.append($0[[0, 7]]) },
        CertificateDefect("4.1.2.9 extensions: a SET") { $0[FieldPath.extensions].tag = [0x31] },
        CertificateDefect("4.1.2.9 extensions: implicitly tagged") {
            $0[[0, 7]] = DERElement(0xA3, elements: $0[FieldPath.extensions].elements)
        },
        CertificateDefect("4.1.2.9 extensions: under another tag") { $0[[0, 7]].tag = [0xA4] },
        CertificateDefect("4.1.2.9 extensions: before the key") { $0[[0]].elements.swapAt(6, 7) },
        CertificateDefect("4.1.2.9 extensions: 33 unknown ones") {
            $0.changeExtensions {
                $0 += (1...33).map { .certificateExtension([0x2A, 3, $0], isCritical: false, [5, 0]) }
            }
        },
        CertificateDefect("4.2 unknown extension: critical", .badChainRules) {
            $0.changeExtensions { $0.append(.certificateExtension([0x2A, 3, 4], isCritical: true, [5, 0])) }
        },
        CertificateDefect("4.2 unknown extension: critical and first", .badChainRules) {
            $0.changeExtensions { $0.insert(.certificateExtension([0x2A, 3, 4], isCritical: true, []), at: 0) }
        },
        CertificateDefect("4.2 unknown extension: an identifier with a leading zero") {
            $0.changeExtensions { $0.append(.certificateExtension([0x2A, 0x80, 3], isCritical: false, [5, 0])) }
        },
        CertificateDefect("4.2 unknown extension: an empty identifier") {
            $0.changeExtensions { $0.append(.certificateExtension([], isCritical: false, [5, 0])) }
        },
    ]

    /// RFC 5280 §4.2.1.10 to §4.2.1.14: restricting extensions that the verifiers do not support, critical or not.
    static let limits: [CertificateDefect] = [false, true].flatMap { (isCritical: Bool) -> [CertificateDefect] in
        limiting.map { (name, identifier, value) in
            CertificateDefect("4.2.1 \(name), \(isCritical ? "critical" : "not critical")", .badChainRules) {
                $0.changeExtensions {
                    $0.append(.certificateExtension(identifier, isCritical: isCritical, value))
                }
            }
        }
    }

    private static let limiting: [(String, [UInt8], [UInt8])] = [
        (
            "name constraints: other names", [0x55, 0x1D, 0x1E],
            [0x30, 0x08, 0xA0, 0x06, 0x30, 0x04, 0x82, 2, 0x61, 0x62]
        ),
        ("name constraints: unreadable", [0x55, 0x1D, 0x1E], [5, 0]),
        ("policy constraints: an explicit policy", [0x55, 0x1D, 0x24], [0x30, 3, 0x80, 1, 0]),
        ("inhibit anyPolicy", [0x55, 0x1D, 0x36], [2, 1, 0]),
        ("extended key usage: TLS", [0x55, 0x1D, 0x25], [0x30, 10, 6, 8, 0x2B, 6, 1, 5, 5, 7, 3, 1]),
        ("extended key usage: code", [0x55, 0x1D, 0x25], [0x30, 10, 6, 8, 0x2B, 6, 1, 5, 5, 7, 3, 3]),
        ("extended key usage: any", [0x55, 0x1D, 0x25], [0x30, 6, 6, 4, 0x55, 0x1D, 0x25, 0]),
        ("extended key usage: none", [0x55, 0x1D, 0x25], [0x30, 0]),
        (
            "private key usage period", [0x55, 0x1D, 0x10],
            [0x30, 17, 0x80, 15] + Array("20200101000000Z".utf8)
        ),
        (
            "Netscape certificate type", [0x60, 0x86, 0x48, 1, 0x86, 0xF8, 0x42, 1, 1], [3, 2, 7, 0x80]
        ),
    ]
}
