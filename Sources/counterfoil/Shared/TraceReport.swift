import AppStoreTrust
import Basics
import Foundation
internal import Ledger

/// A verification trace as the commands print it.
struct TraceReport: Encodable {
    private struct Certificate: Encodable {
        let subject, issuer, serialNumber, fingerprint: String
        let notBeforeMs, notAfterMs: Int64
    }

    private struct Revocation: Encodable {
        let status: String
        let ageSeconds: Double?
        let explanation: String?
    }

    private let anchor: String
    private let validatedAtMs: Int64
    private let certificates: [Certificate]
    private let revocation: Revocation

    init(_ trace: VerificationTrace) {
        anchor = trace.anchor
        validatedAtMs = trace.validatedAt.milliseconds
        certificates = trace.certificates.map {
            Certificate(
                subject: $0.subject, issuer: $0.issuer, serialNumber: $0.serialNumber, fingerprint: $0.fingerprint,
                notBeforeMs: $0.notBefore.milliseconds, notAfterMs: $0.notAfter.milliseconds)
        }
        revocation = Revocation(
            status: trace.revocation.status.rawValue, ageSeconds: trace.revocation.age,
            explanation: trace.revocation.explanation)
    }

    /// Returns the trace as lines of text, with one item per certificate.
    static func lines(_ trace: VerificationTrace, _ style: Style) -> [String] {
        var lines = trace.certificates.map { certificate in
            let validity = "\(certificate.notBefore.readable.prefix(10)) to \(certificate.notAfter.readable.prefix(10))"
            return "  \(certificate.subject.printable)\n"
                + style.faint("    serial \(certificate.serialNumber), valid \(validity)")
        }
        lines.append("  anchor      \(trace.anchor.printable)")
        lines.append("  valid at    \(trace.validatedAt.readable)")
        let revocation = trace.revocation
        switch revocation.status {
        case .notChecked:
            let reason = revocation.explanation.map { ": \($0.printable)" } ?? ""
            lines.append("  revocation  not checked\(reason)")
        case .good:
            let age = (revocation.age ?? 0).lengthInWords(rounded: .down)
            lines.append("  revocation  good, as of \(age) ago")
        case .unknown: lines.append("  revocation  unknown: \((revocation.explanation ?? "").printable)")
        }
        return lines
    }
}
