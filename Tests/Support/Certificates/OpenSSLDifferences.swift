/// Where OpenSSL accepts what is refused here, on purpose. A difference without a reason fails, and so does a reason without
/// a difference.
struct OpenSSLDifference: Sendable {
    let reason: String
    /// Among the chains of which keys it occurs.
    let keys: CertificateDefect.Keys
    /// How the names of the rows begin, without the position or with it.
    private let beginnings: [String]
    /// How they end.
    private let ends: [String]

    private init(
        _ reason: String, keys: CertificateDefect.Keys = .any, beginnings: [String] = [], ends: [String] = []
    ) {
        (self.reason, self.keys, self.beginnings, self.ends) = (reason, keys, beginnings, ends)
    }

    /// The reason for a row that OpenSSL accepts.
    static func reason(of name: String) -> String? {
        let rest = name.split(separator: " ", maxSplits: 1).last.map(String.init) ?? name
        return all.first { difference in
            difference.beginnings.contains { name.hasPrefix($0) || rest.hasPrefix($0) }
                || difference.ends.contains { name.hasSuffix($0) }
        }?.reason
    }

    static let all: [OpenSSLDifference] = [
        OpenSSLDifference(
            "A trusted root is not asked for its own signature there. Here its certificate has to be one.",
            beginnings: ["root: 4.1.1.3 signature", "root: 4.1.1.2 algorithm: "]),
        OpenSSLDifference(
            "OpenSSL reads BER where X.509 asks for DER: one certificate would have many texts.",
            beginnings: ["X.690 overlong length", "X.690 indefinite length", "X.690 in pieces"],
            ends: [
                "an overlong length", "an overlong length inside", "an overlong length of the exponent",
                "an indefinite length", "a value in pieces", "key usage: in pieces", "written out", "critical as 1",
                "an authority as 1", "attributes in the wrong order", "with a leading zero too many",
                "exponent with a leading zero", "zero bit at the end", "zero bits at the end", "zero octet at the end",
                "an unused bit that is one", "key: one unused bit, which is zero",
            ]),
        OpenSSLDifference(
            "OpenSSL leaves what follows the value of an extension or a key, and bits that have no meaning.",
            ends: [
                "a byte after it", "constraints: two", "key usage: twice", "key usage: three octets",
                "key usage: ten bits", "a path of nine octets",
            ]),
        OpenSSLDifference(
            "OpenSSL does not look at parameters that its algorithm has no use for.",
            beginnings: [
                "4.1.1.2 algorithm inside and outside", "4.1.1.2 algorithm: ECDSA with parameters",
                "4.1.2.7 key: no parameters", "4.1.2.7 key: parameters that are a sequence",
            ]),
        OpenSSLDifference(
            "OpenSSL takes every higher version for 3.", beginnings: ["4.1.2.1 version: 4", "4.1.2.1 version: 128"]),
        OpenSSLDifference(
            "RFC 5280 §4.1.2.2 asks users to bear with serial numbers that it forbids to issue.",
            beginnings: ["4.1.2.2 serial number"]),
        OpenSSLDifference(
            "OpenSSL compares names as X.500 does. Here two texts are two names.", beginnings: ["4.1.2.4 issuer"]),
        OpenSSLDifference(
            "OpenSSL reads each time in both of its forms.", ends: ["GeneralizedTime before 2050"]),
        OpenSSLDifference(
            "OpenSSL does not look at what kind of value a name has, nor whether it is text.",
            beginnings: ["4.1.2.6 name"]),
        OpenSSLDifference(
            "OpenSSL reads all forms of a point; the App Store has one.", keys: .ellipticCurve,
            beginnings: ["4.1.2.7 key: a compressed point", "4.1.2.7 key: a hybrid point"]),
        OpenSSLDifference(
            "OpenSSL reads the key of the first certificate when it is used, and nobody uses it in this question.",
            beginnings: ["leaf: 4.1.2.7 key"]),
        OpenSSLDifference(
            "OpenSSL takes the numbers of an RSA key for positive.", keys: .rsa, ends: ["negative modulus"]),
        OpenSSLDifference(
            "Unique identifiers must not be issued (RFC 5280 §4.1.2.8). OpenSSL reads them and compares nothing.",
            beginnings: ["4.1.2.8 unique identifier"]),
        OpenSSLDifference(
            "There is no limit there.", beginnings: ["4.1.2.9 extensions: 33 unknown ones"]),
        OpenSSLDifference(
            "OpenSSL finds the double only of an extension that it reads in this question.",
            beginnings: [
                "4.2 authority information access: twice", "4.2 certificate policies: twice",
                "4.2 the leaf's marker: twice",
                "4.2 the intermediate's marker: twice",
            ]),
        OpenSSLDifference(
            "OpenSSL understands what is critical there; here nothing would follow from it.", keys: .ellipticCurve,
            beginnings: ["4.2 certificate policies: critical", "4.2 distribution points: critical"]),
        OpenSSLDifference(
            "OpenSSL understands these limits and applies them if asked about a purpose or a policy. Here they are not understood.",
            beginnings: [
                "4.2.1 name constraints: other names", "4.2.1 policy constraints", "4.2.1 inhibit anyPolicy",
                "4.2.1 extended key usage", "4.2.1 private key usage period, not critical",
                "4.2.1 Netscape certificate type",
            ]),
        OpenSSLDifference(
            "OpenSSL asks nothing of the first certificate unless it is told a purpose. The App Store's signs data.",
            beginnings: ["leaf: 4.2.1.3 key usage", "leaf: 4.2.1.9 basic constraints: an authority"]),
    ]
}
