internal import AppStoreTrust

extension CertificateDefect {
    /// X.690 §8 and §10: encodings that DER forbids, for each element of a certificate, except inside the values of its
    /// extensions.
    static func encodings(of certificate: DERElement, at position: Position) -> [CertificateDefect] {
        certificate.paths.flatMap { (path: [Int]) -> [CertificateDefect] in
            let name = place(of: path)
            return forms.filter { $0.applies(certificate[path]) }.map { form in
                // The outer sequence and the signature exist only after signing.
                let isLater = path.isEmpty || path == FieldPath.signature
                return CertificateDefect(
                    "X.690 \(form.name): \(name)", at: [position],
                    change: { if !isLater { form.change(&$0[path]) } },
                    changeSigned: { if isLater { form.change(&$0[path]) } })
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

    /// The name of the deepest known field on the path, followed by the indexes below it.
    private static func place(of path: [Int]) -> String {
        let fields: [[Int]: String] = [
            []: "Certificate", [0]: "TBSCertificate", FieldPath.version: "version",
            FieldPath.serialNumber: "serialNumber",
            FieldPath.innerAlgorithm: "signature algorithm inside", FieldPath.issuer: "issuer",
            FieldPath.validity: "validity",
            FieldPath.subject: "subject", FieldPath.key: "key", [0, 7]: "[3]", FieldPath.extensions: "extensions",
            FieldPath.outerAlgorithm: "signature algorithm outside", FieldPath.signature: "signature",
        ]
        let known = (0...path.count).last { fields[Array(path.prefix($0))] != nil } ?? 0
        let rest = path.dropFirst(known).map(String.init)
        return ([fields[Array(path.prefix(known))] ?? ""] + rest).joined(separator: ".")
    }
}
