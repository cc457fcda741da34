import TestSupport

/// Where Apple's Python library and this one differ on purpose. A difference that is not here, or is no more, fails.
enum InteropDifferences {
    struct Group {
        let reason: String
        let names: [String]
    }

    static let onlyWeRefuse: [Group] = [thirdCertificate, encoding, json, chain, models, xcode, size].flatMap(\.self)

    private static let thirdCertificate: [Group] = [
        Group(
            reason:
                "The third certificate is not read there: trust comes from the configured roots. Here it has to be the anchor.",
            names: [
                "chain: a stranger's root", "chain: the intermediate as root", "chain: the leaf as root",
                "chain: the root issued anew for the same key",
            ] + Specimens.forgeries.map(\.name).filter { $0.hasPrefix("certificate 3: ") })
    ]

    private static let encoding: [Group] = [
        Group(
            reason: "PyJWT cuts padding off and adds its own; RFC 7515 §2 has none.",
            names: [
                "padding of the header, signed", "padding of the payload, signed", "padding of the signature",
            ]),
        Group(
            reason: "OpenSSL reads one certificate and leaves the rest; the header is to hold certificates, not more.",
            names: [
                "certificate 1: a byte after the end", "certificate 1: a second certificate after the end",
                "certificate 2: a byte after the end", "certificate 2: a second certificate after the end",
            ]),
        Group(
            reason: "OpenSSL reads BER where X.509 asks for DER: one certificate would have many texts.",
            names: [
                "certificate 1: a very overlong length", "certificate 1: an indefinite length",
                "certificate 1: an overlong length", "certificate 2: a very overlong length",
                "certificate 2: an indefinite length", "certificate 2: an overlong length",
            ]),
    ]

    private static let json: [Group] = [
        Group(
            reason:
                "Python's JSON reader guesses the encoding; RFC 7515 §4 says UTF-8 and RFC 8259 §8.1 forbids the mark.",
            names: [
                "header: UTF-16", "header: UTF-16 without a mark", "header: UTF-32", "header: a byte order mark",
                "payload: UTF-16", "payload: a byte order mark",
            ]),
        Group(
            reason:
                "Python's JSON reader takes the last of repeated members; RFC 7515 §4 and RFC 7519 §4 let us refuse them.",
            names: [
                "header: alg twice, none first", "header: alg twice, one escaped", "header: alg twice, the same",
                "header: another member twice", "header: a member twice, further in", "header: x5c twice, null first",
                "header: x5c twice, one escaped",
                "payload: a member twice", "payload: a member twice, further in",
                "payload: a member twice, one escaped",
            ]),
        Group(
            reason: "RFC 7797 §6: b64 must stand in crit, and no extension is understood here.",
            names: ["header: b64 true"]),
        Group(
            reason: "Nothing that is signed nests deeper than a few levels; more is somebody playing.",
            names: ["header: 32 arrays in each other", "payload: 32 arrays in each other"]),
    ]

    private static let chain: [Group] = [
        Group(
            reason:
                "OpenSSL asks nothing of the first certificate unless it is told a purpose. The App Store's signs data and is no authority.",
            names: [
                "leaf: an authority", "leaf: an authority that may sign certificates", "leaf: for key agreement only",
                "leaf: no key usage",
            ]),
        Group(
            reason:
                "OpenSSL understands extended key usage; here a critical one has no meaning that could be honoured.",
            names: ["leaf: critical extended key usage"]),
    ]

    private static let models: [Group] = [
        Group(
            reason: "All members are optional there; here what Apple's pages promise has to be there.",
            names: [
                "payload: a date as null", "payload: no product", "payload: no signing date", "payload: no transaction",
                "payload: a transaction taken for renewal information",
            ]),
        Group(
            reason: "Types are not compared there, or are converted.",
            names: [
                "payload: a date as text", "payload: a lone surrogate", "payload: a product as array",
                "payload: a product as number", "payload: a quantity as text", "payload: a quantity beyond 32 bits",
                "payload: half a quantity",
            ]),
    ]

    private static let xcode: [Group] = [
        Group(
            reason: "With the environment Xcode nothing is verified there, not even the signature.",
            names: [
                "Xcode data with a changed signature", "Xcode data, another certificate enrolled",
                "Xcode data, enrolled, environment not listed", "Xcode data, not enrolled",
                "Xcode data, not enrolled, without its kid", "Xcode's certificate as the leaf of three",
                "Xcode's certificate, a stranger's signature", "the App Store's chain speaks for Xcode",
            ])
    ]

    private static let size: [Group] = [
        Group(
            reason: "There is no limit there.",
            names: ["12 MB of payload", "a megabyte of header", "leaf: larger than 8 KiB"])
    ]

    static let onlyTheyRefuse: [Group] = [
        Group(
            reason: "X509_STRICT wants key usage of every authority; an anchor is trusted as it is.",
            names: ["root: no key usage"]),
        Group(
            reason: "A verifier for production cannot be made there without the app's Apple ID.",
            names: ["transaction of an app without its Apple ID"]),
        Group(
            reason: "A verifier knows one environment there; the one asked knows Xcode.",
            names: ["local testing data, enrolled", "the App Store's data, Xcode's certificate enrolled"]),
    ]
}
