internal import AppStoreTrust

extension CertificateDefect {
    /// RFC 5280 §4.1.2.1: the version.
    static let versions: [CertificateDefect] = versionNumbers + otherVersions

    private static let versionNumbers: [CertificateDefect] =
        ([("1, written out", 0), ("4", 3), ("128", 127), ("−1", 0xFF)] as [(String, UInt8)]).map { (name, value) in
            CertificateDefect("4.1.2.1 version: \(name)") { $0[FieldPath.version + [0]].octets = [value] }
        }

    private static let otherVersions: [CertificateDefect] = [
        CertificateDefect("4.1.2.1 version: 2", .badChainRules) { $0[FieldPath.version + [0]].octets = [1] },
        CertificateDefect("4.1.2.1 version: 1", .badChainRules) { $0[[0]].elements.removeFirst() },
        CertificateDefect("4.1.2.1 version: 3 with a leading zero") { $0[FieldPath.version + [0]].octets = [0, 2] },
        CertificateDefect("4.1.2.1 version: of nine octets") {
            $0[FieldPath.version + [0]].octets = [1, 0, 0, 0, 0, 0, 0, 0, 2]
        },
        CertificateDefect("4.1.2.1 version: a truth value") { $0[FieldPath.version + [0]] = DERElement(1, [0xFF]) },
        CertificateDefect("4.1.2.1 version: implicitly tagged") { $0[FieldPath.version] = DERElement(0x80, [2]) },
        CertificateDefect("4.1.2.1 version: twice") { $0[[0]].elements.insert($0[FieldPath.version], at: 0) },
        CertificateDefect("4.1.2.1 version: two numbers") {
            $0[FieldPath.version].elements.append(DERElement(2, [2]))
        },
        CertificateDefect("4.1.2.1 version: after the serial number") { $0[[0]].elements.swapAt(0, 1) },
    ]

    /// RFC 5280 §4.1.2.2: the serial number.
    static let serialNumbers: [CertificateDefect] = serials.map { (name, number) in
        CertificateDefect("4.1.2.2 serial number: \(name)") { $0[FieldPath.serialNumber] = number }
    }

    private static let serials: [(String, DERElement)] = [
        ("zero", DERElement(2, [0])), ("negative", DERElement(2, [0x81, 1])), ("−1", DERElement(2, [0xFF])),
        ("of no octets", DERElement(2, [])), ("with a leading zero", DERElement(2, [0, 1])),
        ("with a leading 255", DERElement(2, [0xFF, 0x81])),
        ("of 21 octets", DERElement(2, [1] + [UInt8](repeating: 7, count: 20))),
        ("of 21 octets and a zero", DERElement(2, [0, 0x81] + [UInt8](repeating: 7, count: 20))),
        ("of 21 octets, negative", DERElement(2, [0x81] + [UInt8](repeating: 7, count: 20))),
        ("of 300 octets", DERElement(2, [1] + [UInt8](repeating: 7, count: 299))),
        ("octets", DERElement(4, [1])), ("an enumeration", DERElement(10, [1])), ("NULL", null),
        ("constructed", DERElement(0x22, elements: [DERElement(2, [1])])),
    ]

    /// RFC 5280 §4.1.2.5: the validity period. Each text is used once as `notBefore` and once as `notAfter`.
    static let validity: [CertificateDefect] = [timeRows(0, "beginning"), timeRows(1, "end"), periods].flatMap(\.self)

    private static func timeRows(_ index: Int, _ which: String) -> [CertificateDefect] {
        times.map { (name, tag, early, late) in
            CertificateDefect("4.1.2.5 \(which): \(name)") {
                $0[FieldPath.validity + [index]] = DERElement(tag, Array((index == 0 ? early : late).utf8))
            }
        }
    }

    private static let periods: [CertificateDefect] = [
        CertificateDefect("4.1.2.5 validity: the end before the beginning", .expiredOrNotYetValid) {
            $0[FieldPath.validity].elements.swapAt(0, 1)
        },
        CertificateDefect("4.1.2.5 validity: no end") { $0[FieldPath.validity].elements.removeLast() },
        CertificateDefect("4.1.2.5 validity: three times") {
            $0[FieldPath.validity].elements.append($0[FieldPath.validity + [1]])
        },
        CertificateDefect("4.1.2.5 validity: a SET") { $0[FieldPath.validity].tag = [0x31] },
    ]

    private static let (utc, generalized): (UInt8, UInt8) = (23, 24)

    /// The name, the tag, a text for the past and one for the future.
    private static let times: [(String, UInt8, String, String)] = [
        ("60 seconds", utc, "200101000060Z", "401231235960Z"), ("61 seconds", utc, "200101000061Z", "401231235961Z"),
        ("99 seconds", utc, "200101000099Z", "401231235999Z"), ("60 minutes", utc, "200101006000Z", "401231236000Z"),
        ("24 hours", utc, "200101240000Z", "401231240000Z"), ("day 0", utc, "200100000000Z", "401200000000Z"),
        ("day 32", utc, "200132000000Z", "401232000000Z"), ("30 February", utc, "200230000000Z", "400230000000Z"),
        ("29 February of no leap year", utc, "210229000000Z", "410229000000Z"),
        ("month 0", utc, "200001000000Z", "400001000000Z"), ("month 13", utc, "201301000000Z", "401301000000Z"),
        ("no seconds", utc, "2001010000Z", "4012312359Z"), ("no Z", utc, "200101000000", "401231235959"),
        ("a small z", utc, "200101000000z", "401231235959z"),
        ("an offset", utc, "200101000000+0000", "401231235959+0000"),
        ("an offset without seconds", utc, "2001010000-0100", "4012312359-0100"),
        ("a fraction", utc, "200101000000.5Z", "401231235959.5Z"),
        ("a space before", utc, " 00101000000Z", " 01231235959Z"),
        ("a space after", utc, "200101000000Z ", "401231235959Z "), ("a letter", utc, "2O0101000000Z", "4O1231235959Z"),
        ("a sign", utc, "+00101000000Z", "+01231235959Z"), ("nothing", utc, "", ""),
        ("a byte of zero after", utc, "200101000000Z\0", "401231235959Z\0"),
        ("a year of four digits", utc, "20200101000000Z", "20401231235959Z"),
        ("GeneralizedTime before 2050", generalized, "20200101000000Z", "20491231235959Z"),
        ("GeneralizedTime with a fraction", generalized, "20200101000000.5Z", "20501231235959.5Z"),
        ("GeneralizedTime with a fraction of zero", generalized, "20200101000000.0Z", "20501231235959.0Z"),
        ("GeneralizedTime with a comma", generalized, "20200101000000,5Z", "20501231235959,5Z"),
        ("GeneralizedTime without seconds", generalized, "202001010000Z", "205012312359Z"),
        ("GeneralizedTime without minutes", generalized, "2020010100Z", "2050123123Z"),
        ("GeneralizedTime without Z", generalized, "20200101000000", "20501231235959"),
        ("GeneralizedTime with an offset", generalized, "20200101000000+0100", "20501231235959+0100"),
        ("GeneralizedTime with 60 seconds", generalized, "20200101000060Z", "20501231235960Z"),
        ("GeneralizedTime with 24 hours", generalized, "20200101240000Z", "20501231240000Z"),
        ("GeneralizedTime with two digits of the year", generalized, "200101000000Z", "501231235959Z"),
        ("a visible string", 26, "200101000000Z", "401231235959Z"), ("a number", 2, "2", "9"),
        ("an IA5 string", 22, "200101000000Z", "401231235959Z"),
    ]
}
