/// Limits for the size of a receipt.
public struct ReceiptLimits: Sendable, Hashable {
    /// The maximum size of a receipt, as text or as bytes. A genuine one with 187 purchases has 105 kB of text.
    /// Default: 8 MiB.
    public var bytes: Int

    /// The maximum number of attributes, including those of all purchases. A purchase has about twenty. Default:
    /// 300,000.
    public var attributes: Int

    /// The maximum number of certificates in a receipt. Genuine ones have one or three. Default: 16.
    public var certificates: Int

    /// Creates limits. The defaults are far above any genuine receipt.
    public init(bytes: Int = 8 << 20, attributes: Int = 300_000, certificates: Int = 16) {
        self.bytes = bytes
        self.attributes = attributes
        self.certificates = certificates
    }

    /// The maximum size of a certificate, far above any genuine one.
    static let certificateBytes = 1 << 15
}
