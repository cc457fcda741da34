import TestSupport

/// The intended differences between Apple's Python library and this one. Tests fail for a difference that is not listed
/// and for a listed one that has disappeared.
enum InteropDifferences {
    struct Group {
        let reason: String
        let names: [String]
    }

    static let onlyWeRefuse: [Group] = [thirdCertificate, encoding, json, chain, models, xcode, size].flatMap(\.self)

    private static let thirdCertificate: [Group] = [
        Group(
            reason:
                "Apple's library ignores the third certificate and uses the configured roots. Ours requires it to be the anchor.",
            names: [
                "chain: a stranger's root", "chain: the intermediate as root", "chain: the leaf as root",
                "chain: the root issued anew for the same key",
            ] + VerificationCases.forgeries.map(\.name).filter { $0.hasPrefix("certificate 3: ") })
    ]

    private static let encoding: [Group] = [
        Group(
            reason: "PyJWT ignores padding. RFC 7515 §2 does not allow it.",
            names: [
                "padding of the header, signed", "padding of the payload, signed", "padding of the signature",
            ]),
        Group(
            reason: "OpenSSL reads one certificate and ignores the rest. Ours refuses extra bytes.",
            names: [
                "certificate 1: a byte after the end", "certificate 1: a second certificate after the end",
                "certificate 2: a byte after the end", "certificate 2: a second certificate after the end",
            ]),
        Group(
            reason: "OpenSSL accepts BER. X.509 requires DER, so that a certificate has only one encoding.",
            names: [
                "certificate 1: a very overlong length", "certificate 1: an indefinite length",
                "certificate 1: an overlong length", "certificate 2: a very overlong length",
                "certificate 2: an indefinite length", "certificate 2: an overlong length",
            ]),
    ]

    private static let json: [Group] = [
        Group(
            reason:
                "Python's JSON decoder detects the encoding. RFC 7515 §4 requires UTF-8, RFC 8259 §8.1 forbids byte order marks.",
            names: [
                "header: UTF-16", "header: UTF-16 without a mark", "header: UTF-32", "header: a byte order mark",
                "payload: UTF-16", "payload: a byte order mark",
            ]),
        Group(
            reason:
                "Python's JSON decoder uses the last of repeated members. RFC 7515 §4 and RFC 7519 §4 allow refusing them.",
            names: [
                "header: alg twice, none first", "header: alg twice, one escaped", "header: alg twice, the same",
                "header: another member twice", "header: a member twice, further in", "header: x5c twice, null first",
                "header: x5c twice, one escaped",
                "payload: a member twice", "payload: a member twice, further in",
                "payload: a member twice, one escaped",
            ]),
        Group(
            reason: "RFC 7797 §6: b64 must be listed in crit, and ours supports no extensions.",
            names: ["header: b64 true"]),
        Group(
            reason: "Signed data has few levels of nesting, so ours refuses many levels.",
            names: ["header: 32 arrays in each other", "payload: 32 arrays in each other"]),
    ]

    private static let chain: [Group] = [
        Group(
            reason:
                "OpenSSL does not check the leaf's usage without a purpose. Ours requires a leaf that signs data and is no authority.",
            names: [
                "leaf: an authority", "leaf: an authority that may sign certificates", "leaf: for key agreement only",
                "leaf: no key usage",
            ]),
        Group(
            reason:
                "OpenSSL supports extended key usage. Ours does not, and refuses it if it is critical.",
            names: ["leaf: critical extended key usage"]),
    ]

    private static let models: [Group] = [
        Group(
            reason:
                "All members are optional in Apple's library. Ours requires the members that Apple documents as always present.",
            names: [
                "payload: a date as null", "payload: no product", "payload: no signing date", "payload: no transaction",
                "payload: a transaction taken for renewal information",
            ]),
        Group(
            reason: "Apple's library does not check types, or converts them.",
            names: [
                "payload: a date as text", "payload: a lone surrogate", "payload: a product as array",
                "payload: a product as number", "payload: a quantity as text", "payload: a quantity beyond 32 bits",
                "payload: half a quantity",
            ]),
    ]

    private static let xcode: [Group] = [
        Group(
            reason: "Apple's library verifies nothing for the environment Xcode, not even the signature.",
            names: [
                "Xcode data with a changed signature", "Xcode data, another certificate enrolled",
                "Xcode data, enrolled, environment not listed", "Xcode data, not enrolled",
                "Xcode data, not enrolled, without its kid", "Xcode's certificate as the leaf of three",
                "Xcode's certificate, a stranger's signature", "the App Store's chain speaks for Xcode",
            ])
    ]

    private static let size: [Group] = [
        Group(
            reason: "Apple's library has no size limits.",
            names: ["12 MB of payload", "a megabyte of header", "leaf: larger than 8 KiB"])
    ]

    static let onlyTheyRefuse: [Group] = [
        Group(
            reason: "X509_STRICT requires key usage in every authority. Ours trusts an anchor without it.",
            names: ["root: no key usage"]),
        Group(
            reason: "Apple's library cannot create a verifier for production without the app's Apple ID.",
            names: ["transaction of an app without its Apple ID"]),
        Group(
            reason: "A verifier of Apple's library has one environment, here Xcode.",
            names: ["local testing data, enrolled", "the App Store's data, Xcode's certificate enrolled"]),
    ]
}
