/// A documented reason why OpenSSL accepts defects that our verifiers refuse. Tests fail for a difference without a
/// reason and for a reason without a difference.
struct OpenSSLDifference: Sendable {
    let reason: String
    /// The keys of the chains in which the difference occurs.
    let keys: CertificateDefect.Keys
    /// Prefixes of the names of forgeries, without or with the position.
    private let prefixes: [String]
    /// Suffixes of these names.
    private let suffixes: [String]

    private init(
        _ reason: String, keys: CertificateDefect.Keys = .any, prefixes: [String] = [], suffixes: [String] = []
    ) {
        (self.reason, self.keys, self.prefixes, self.suffixes) = (reason, keys, prefixes, suffixes)
    }

    /// Returns the reason why OpenSSL accepts the forgery with this name, or nil if none is documented.
    static func reason(of name: String) -> String? {
        let rest = name.split(separator: " ", maxSplits: 1).last.map(String.init) ?? name
        return all.first { difference in
            difference.prefixes.contains { name.hasPrefix($0) || rest.hasPrefix($0) }
                || difference.suffixes.contains { name.hasSuffix($0) }
        }?.reason
    }

    static let all: [OpenSSLDifference] = [
        OpenSSLDifference(
            "OpenSSL does not verify the signature of a trusted root. Our verifiers do, so that the root is a certificate.",
            prefixes: ["root: 4.1.1.3 signature", "root: 4.1.1.2 algorithm: "]),
        OpenSSLDifference(
            "OpenSSL accepts BER. X.509 requires DER, so that a certificate has only one encoding.",
            prefixes: ["X.690 overlong length", "X.690 indefinite length", "X.690 in pieces"],
            suffixes: [
                "an overlong length", "an overlong length inside", "an overlong length of the exponent",
                "an indefinite length", "a value in pieces", "key usage: in pieces", "written out", "critical as 1",
                "an authority as 1", "attributes in the wrong order", "with a leading zero too many",
                "exponent with a leading zero", "zero bit at the end", "zero bits at the end", "zero octet at the end",
                "an unused bit that is one", "key: one unused bit, which is zero",
            ]),
        OpenSSLDifference(
            "OpenSSL ignores bytes after the value of an extension or a key, and undefined bits.",
            suffixes: [
                "a byte after it", "constraints: two", "key usage: twice", "key usage: three octets",
                "key usage: ten bits", "a path of nine octets",
            ]),
        OpenSSLDifference(
            "OpenSSL ignores parameters that the algorithm does not use.",
            prefixes: [
                "4.1.1.2 algorithm inside and outside", "4.1.1.2 algorithm: ECDSA with parameters",
                "4.1.2.7 key: no parameters", "4.1.2.7 key: parameters that are a sequence",
            ]),
        OpenSSLDifference(
            "OpenSSL accepts every version above 3 as 3.", prefixes: ["4.1.2.1 version: 4", "4.1.2.1 version: 128"]),
        OpenSSLDifference(
            "RFC 5280 §4.1.2.2 recommends accepting serial numbers that it forbids to issue.",
            prefixes: ["4.1.2.2 serial number"]),
        OpenSSLDifference(
            "OpenSSL compares names as X.500 does. Our verifiers compare bytes.", prefixes: ["4.1.2.4 issuer"]),
        OpenSSLDifference(
            "OpenSSL accepts UTCTime and GeneralizedTime for every date.", suffixes: ["GeneralizedTime before 2050"]),
        OpenSSLDifference(
            "OpenSSL checks neither the type of a name's values nor whether they are valid text.",
            prefixes: ["4.1.2.6 name"]),
        OpenSSLDifference(
            "OpenSSL accepts all encodings of a point. The App Store uses one.", keys: .ellipticCurve,
            prefixes: ["4.1.2.7 key: a compressed point", "4.1.2.7 key: a hybrid point"]),
        OpenSSLDifference(
            "OpenSSL parses the leaf's key only when it is used, which `openssl verify` does not.",
            prefixes: ["leaf: 4.1.2.7 key"]),
        OpenSSLDifference(
            "OpenSSL reads the integers of an RSA key as unsigned.", keys: .rsa, suffixes: ["negative modulus"]),
        OpenSSLDifference(
            "RFC 5280 §4.1.2.8 forbids unique identifiers. OpenSSL accepts and ignores them.",
            prefixes: ["4.1.2.8 unique identifier"]),
        OpenSSLDifference(
            "OpenSSL does not limit the number of extensions.", prefixes: ["4.1.2.9 extensions: 33 unknown ones"]),
        OpenSSLDifference(
            "OpenSSL detects duplicates only of extensions that `openssl verify` uses.",
            prefixes: [
                "4.2 authority information access: twice", "4.2 certificate policies: twice",
                "4.2 the leaf's marker: twice",
                "4.2 the intermediate's marker: twice",
            ]),
        OpenSSLDifference(
            "OpenSSL supports these critical extensions. Our verifiers do not.", keys: .ellipticCurve,
            prefixes: ["4.2 certificate policies: critical", "4.2 distribution points: critical"]),
        OpenSSLDifference(
            "OpenSSL supports these restrictions and applies them for a purpose or a policy. Our verifiers do not support them.",
            prefixes: [
                "4.2.1 name constraints: other names", "4.2.1 policy constraints", "4.2.1 inhibit anyPolicy",
                "4.2.1 extended key usage", "4.2.1 private key usage period, not critical",
                "4.2.1 Netscape certificate type",
            ]),
        OpenSSLDifference(
            "OpenSSL does not check the leaf's usage without a purpose. Our verifiers require a leaf that signs data.",
            prefixes: ["leaf: 4.2.1.3 key usage", "leaf: 4.2.1.9 basic constraints: an authority"]),
    ]
}
