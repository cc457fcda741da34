/// Shows what verifications are based on: the anchor, the time, the revocation status and the certificates.
enum VerificationDetails {
    /// Adds each verification, and each certificate chain once, because most texts are signed with the same chain.
    static func show(_ verifications: [(title: String, trace: APIValue)], _ page: inout ConsolePage) {
        var chains: [String] = []
        for (title, trace) in verifications {
            page.subtitle(title)
            page.facts([
                ("Anchor", .foreign(trace.string("anchor"))), ("Valid at", .time(trace["validated_at"].instant)),
                ("Revocation", .plain(trace.string("revocation").words)),
                ("Note", trace["revocation_note"].text.map { .foreign($0) } ?? .none),
            ])
            let chain = trace["certificates"].pretty
            guard !chains.contains(chain) else { continue }
            chains.append(chain)
            certificates(trace["certificates"].items, &page)
        }
    }

    private static func certificates(_ items: [APIValue], _ page: inout ConsolePage) {
        page.table(
            "Certificates, from the one that signed to the anchor",
            ["Subject", "Markers", "Valid from", "Until", "Serial number", "SHA-256"],
            items.map { certificate in
                let markers = certificate.strings("markers")
                return [
                    .foreign(certificate.string("subject"), limit: 80),
                    markers.isEmpty ? .plain("none needed") : .code(markers.joined(separator: " ")),
                    .time(certificate["not_before"].instant), .time(certificate["not_after"].instant),
                    .code(certificate.string("serial_number"), limit: 40),
                    .code(certificate.string("fingerprint"), limit: 64),
                ]
            }, empty: "There are none.")
    }
}
