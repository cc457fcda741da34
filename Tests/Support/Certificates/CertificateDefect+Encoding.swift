internal import AppStoreTrust

extension CertificateDefect {
    /// X.690 §8 and §10: ways to write an element that DER forbids, at each element of a certificate outside of the values
    /// of its extensions.
    static func encodings(of certificate: DERElement, at position: Position) -> [CertificateDefect] {
        certificate.paths.flatMap { (path: [Int]) -> [CertificateDefect] in
            let name = place(of: path)
            return forms.filter { $0.applies(certificate[path]) }.map { form in
                // The whole and the signature come to be when it is signed.
                let isLater = path.isEmpty || path == Place.signature
                return CertificateDefect(
                    "X.690 \(form.name): \(name)", at: [position],
                    change: { if !isLater { form.change(&$0[path]) } },
                    seal: { if isLater { form.change(&$0[path]) } })
            }
        }
    }

    private struct Form: Sendable {
        let name: String
        let applies: @Sendable (DERElement) -> Bool
        let change: @Sendable (inout DERElement) -> Void
    }

    private static let forms: [Form] = [
        Form(name: "overlong length", applies: { _ in true }, change: { $0.lengthForm = .overlong }),
        Form(name: "indefinite length", applies: { $0.isConstructed }, change: { $0.lengthForm = .indefinite }),
        Form(name: "another class of tag", applies: { _ in true }, change: { $0.tag[0] ^= 0x40 }),
        Form(
            name: "in pieces", applies: { !$0.isConstructed && [3, 4, 12, 19, 22, 23].contains($0.tag[0]) },
            change: { $0 = DERElement($0.tag[0] | 0x20, elements: [$0]) }),
        Form(
            name: "a field too many", applies: { $0.isConstructed }, change: { $0.elements.append(DERElement(5, [])) }),
    ]

    /// The names of the fields on the path, and positions where there are none.
    private static func place(of path: [Int]) -> String {
        let fields: [[Int]: String] = [
            []: "Certificate", [0]: "TBSCertificate", Place.version: "version", Place.serialNumber: "serialNumber",
            Place.innerAlgorithm: "signature algorithm inside", Place.issuer: "issuer", Place.validity: "validity",
            Place.subject: "subject", Place.key: "key", [0, 7]: "[3]", Place.extensions: "extensions",
            Place.outerAlgorithm: "signature algorithm outside", Place.signature: "signature",
        ]
        let known = (0...path.count).last { fields[Array(path.prefix($0))] != nil } ?? 0
        let rest = path.dropFirst(known).map(String.init)
        return ([fields[Array(path.prefix(known))] ?? ""] + rest).joined(separator: ".")
    }
}
